/** What a verdict was made of. */

import { type Child, h } from '../dom.ts'
import { qualityBars } from '../quality.ts'
import {
  type Analysis,
  analysisOf,
  type Bounds,
  type CheckAnswer,
  type MediumDetail,
  type Sample,
} from './answer.ts'
import { formatDecimal, formatScore, t } from './language.ts'
import { partWords, stageWords } from './words.ts'

const percent = (share: number): string => `${(Math.min(1, Math.max(0, share)) * 100).toFixed(2)}%`

interface Bar {
  name: string
  hint?: string
  /** Shares of the scale, 0…1. */
  value: number | null
  marks: number[]
  isGood: boolean | null
  text: string
}

/** A value on a scale, with a mark for each threshold. The text says the same in words. */
function bar({ name, hint, value, marks, isGood, text }: Bar): HTMLElement {
  const fill = h('span', { class: 'fill' })
  fill.style.inlineSize = percent(value ?? 0)
  const lines = marks.map((mark) => {
    const line = h('span', { class: 'mark' })
    line.style.insetInlineStart = percent(mark)
    return line
  })
  const state = isGood === null ? 'none' : isGood ? 'good' : 'bad'
  return h(
    'li',
    { class: `bar ${state}` },
    h('span', { class: 'bar-name' }, name),
    h('span', { class: 'bar-text' }, text),
    h('span', { class: 'track', 'aria-hidden': 'true' }, fill, ...lines),
    hint ? h('span', { class: 'hint' }, hint) : null,
  )
}

export const card = (title: string, ...children: Child[]): HTMLElement =>
  h('section', { class: 'card' }, h('h3', {}, title), ...children)

/** What few look for. */
const foldedCard = (title: string, ...children: Child[]): HTMLElement =>
  h('details', { class: 'card' }, h('summary', {}, h('h3', {}, title)), ...children)

/** Parts of the attack score: below the threshold is good. */
export function attackCard(
  analysis: Analysis,
  detail: MediumDetail | null,
  isClip: boolean,
): HTMLElement | null {
  const threshold = analysis.confs.threshold_spoofing ?? 0.5
  const parts = Object.entries(detail?.score_parts ?? {}).filter(([part]) => isClip || part === 'frames')
  if (parts.every(([, value]) => value === null)) return null
  return card(
    t('Signs of an attack'),
    h(
      'ul',
      { class: 'bars' },
      ...parts.map(([part, value]) =>
        bar({
          name: partWords[part] ? t(partWords[part].name) : part,
          hint: partWords[part] ? t(partWords[part].hint) : '',
          value,
          marks: [threshold],
          isGood: value === null ? null : value < threshold,
          text: value === null ? t('no evidence') : formatScore(value),
        }),
      ),
    ),
    h(
      'p',
      { class: 'hint' },
      t('Passes below {threshold}. The highest counts.', { threshold }),
      isClip ? null : ` ${t('A clip also shows movement and identity.')}`,
    ),
  )
}

/** The match of every pair: at or above the threshold is good. */
export function matchCard({ folder, match }: CheckAnswer): HTMLElement | null {
  const analysis = analysisOf(folder, 'BIOMETRY')
  const pairs = analysis?.technical_meta_data.comparisons ?? []
  if (match && 'score' in match) {
    const isGood = match.decision === 'approved'
    return card(
      t('Match of the faces'),
      h(
        'ul',
        { class: 'bars' },
        bar({
          name: t('Selfie and ID'),
          value: match.score,
          marks: [],
          isGood,
          text: formatScore(match.score),
        }),
      ),
      h('p', { class: 'hint' }, t('From 0, two people, to 1, one person.')),
    )
  }
  if (!analysis || pairs.length === 0) return null
  const { threshold_min: min = 0, threshold_max: max = 1 } = analysis.confs
  return card(
    t('Match of the faces'),
    h(
      'ul',
      { class: 'bars' },
      ...pairs.map(({ confidence }) =>
        bar({
          name: t('Selfie and ID'),
          value: confidence,
          marks: min === max ? [max] : [min, max],
          isGood: confidence >= max ? true : confidence < min ? false : null,
          text: formatScore(confidence),
        }),
      ),
    ),
    h(
      'p',
      { class: 'hint' },
      min === max
        ? t('One person from {max} on.', { max })
        : t('One person from {max} on, two people below {min}.', { min, max }),
    ),
  )
}

export function qualityCard(
  title: string,
  sample: Sample | null,
  bounds: Record<string, Bounds>,
): HTMLElement | null {
  const quality = sample?.quality
  if (!quality) return null
  const measures = qualityBars(quality, bounds, t, formatDecimal).map(bar)
  const { yaw, pitch, roll } = quality
  const degrees = (value: number | null | undefined) => `${Math.round(value ?? 0)}°`
  return foldedCard(
    title,
    h('ul', { class: 'bars small' }, ...measures),
    h(
      'p',
      { class: 'hint' },
      `${t('In brackets: the range of a good picture.')} `,
      t('Head turned {yaw}, raised {pitch}, tilted {roll}.', {
        ...{ yaw: degrees(yaw), pitch: degrees(pitch), roll: degrees(roll) },
      }),
    ),
  )
}

/** What each network says of a photo. */
export function networksCard(detail: MediumDetail | null): HTMLElement | null {
  const networks = detail?.picture?.networks
  if (!networks) return null
  const cell = (text: string) => h('td', {}, text)
  return foldedCard(
    t('Networks'),
    h(
      'div',
      { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': t('Networks') },
      h(
        'table',
        {},
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            ...(['View', 'Live', 'Screen', 'Weight'] as const).map((name) =>
              h('th', { scope: 'col' }, t(name)),
            ),
          ),
        ),
        h(
          'tbody',
          {},
          ...networks.views.map(({ view, live, replay, weight }) =>
            h(
              'tr',
              {},
              h('th', { scope: 'row' }, view),
              cell(formatScore(live)),
              cell(replay === null ? '–' : formatScore(replay)),
              cell(formatDecimal(weight, 2)),
            ),
          ),
        ),
      ),
    ),
    h(
      'p',
      { class: 'hint' },
      `${t('Live: 1 is a person, 0 an attack. Weights are factors of log odds and need not add up to 1.')} `,
      t('Screen: 1 is a screen.'),
      ' ',
      t(
        'Sharpness adds {softness} to the log odds of an attack: below 0 is good. All are multiplied by the reliability of the sample, {percent} %.',
        {
          percent: Math.round(networks.reliability * 100),
          softness: formatDecimal(networks.softness, 2),
        },
      ),
    ),
  )
}

export function timingsCard(detail: MediumDetail | null, totalMs: number): HTMLElement {
  const stages = Object.entries(detail?.timings ?? {})
  const sum = stages.reduce((total, [, ms]) => total + ms, 0)
  return foldedCard(
    t('Time'),
    h(
      'ul',
      { class: 'bars small' },
      ...stages.map(([stage, ms]) =>
        bar({
          name: stageWords[stage] ? t(stageWords[stage]) : stage,
          value: sum === 0 ? 0 : ms / sum,
          marks: [],
          isGood: null,
          text: `${Math.round(ms)} ${t('ms')}`,
        }),
      ),
    ),
    h('p', { class: 'hint' }, t('{ms} ms from request to answer.', { ms: Math.round(totalMs) })),
  )
}
