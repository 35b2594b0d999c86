/** The frames of a clip with their scores. */

import { h, svg } from '../dom.ts'
import type { Frame } from './answer.ts'
import { card } from './evidence.ts'
import { formatDecimal, t } from './language.ts'
import { showFrames } from './picture.ts'

const thumbnailSide = 160

/** Frames that networks have seen. */
const keyFrames = (frames: readonly Frame[]): Frame[] => frames.filter(({ attack }) => attack !== undefined)

/** A line over the time of the clip, scaled to its own range. */
function curve(
  frames: readonly Frame[],
  of: (frame: Frame) => number | undefined,
  title: string,
): SVGSVGElement | null {
  const points = frames.flatMap((frame) => {
    const value = of(frame)
    return value === undefined ? [] : [{ time: frame.time, value }]
  })
  if (points.length < 3) return null
  const end = Math.max(frames.at(-1)!.time, 0.001)
  const [least, most] = [
    Math.min(...points.map(({ value }) => value)),
    Math.max(...points.map(({ value }) => value)),
  ]
  const place = ({ time, value }: { time: number; value: number }) =>
    `${((time / end) * 300).toFixed(1)} ${(40 - ((value - least) / Math.max(most - least, 1e-6)) * 36).toFixed(1)}`
  return svg(
    'svg',
    { viewBox: '0 0 300 44', class: 'curve', role: 'img', 'aria-label': title, preserveAspectRatio: 'none' },
    svg('path', { d: `M${points.map(place).join('L')}` }),
  )
}

function curveRow(
  frames: readonly Frame[],
  of: (frame: Frame) => number | undefined,
  name: string,
  unit: string,
) {
  const values = frames.map(of).filter((value) => value !== undefined)
  if (values.length < 3) return null
  const format = (value: number) => `${formatDecimal(value, unit ? 0 : 2)}${unit}`
  const range = t('{from} to {to}', { from: format(Math.min(...values)), to: format(Math.max(...values)) })
  return h(
    'li',
    {},
    h('span', { class: 'bar-name' }, name),
    h('span', { class: 'bar-text' }, range),
    curve(frames, of, `${name}: ${range}`),
  )
}

export function framesCard(
  file: File,
  frames: readonly Frame[],
  { turns, threshold }: { turns: number; threshold: number },
): HTMLElement | null {
  if (frames.length === 0) return null
  const keys = keyFrames(frames)
  const unseen = h('span', { hidden: true }, `${t('The browser cannot show these frames.')} `)
  const places = keys.map(() => h('span', { class: 'thumb', 'aria-hidden': 'true' }))
  showFrames(
    file,
    keys.map(({ time }) => time),
    turns,
    thumbnailSide,
  ).then(
    (pictures) => {
      for (const [index, picture] of pictures.entries()) places[index]!.replaceChildren(picture)
    },
    // Such as an archive: the scores say enough without pictures.
    () => {
      for (const place of places) place.remove()
      unseen.hidden = false
    },
  )
  const seen = frames.filter(({ box }) => box !== null).length
  return card(
    t('Frames'),
    h(
      'ol',
      { class: 'strip', tabindex: 0, 'aria-label': t('Key frames with their attack scores') },
      ...keys.map(({ time, attack = 0 }, index) =>
        h(
          'li',
          { class: attack < threshold ? 'good' : 'bad' },
          places[index],
          h('span', { class: 'bar-text' }, formatDecimal(attack, 2)),
          h('span', { class: 'hint' }, `${formatDecimal(time, 1)} ${t('s')}`),
        ),
      ),
    ),
    h(
      'ul',
      { class: 'curves' },
      curveRow(frames, ({ yaw }) => yaw, t('Turn of the head'), '°'),
      curveRow(frames, ({ pitch }) => pitch, t('Nod'), '°'),
      curveRow(frames, ({ eye_openness }) => eye_openness, t('Opening of the eyes, in eye widths'), ''),
      curveRow(frames, ({ mouth_width }) => mouth_width, t('Width of the mouth, in widths of both eyes'), ''),
    ),
    h(
      'p',
      { class: 'hint' },
      unseen,
      `${t('Below each frame its attack score: good is below {threshold}.', { threshold })} `,
      t('A face in {seen} of {count} frames.', { seen, count: frames.length }),
    ),
  )
}
