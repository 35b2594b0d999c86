/** Histograms of two kinds of scores, each as shares of its kind, over the log odds of the score. */
import { html, type Markup } from './markup.ts'
import { countText, logOddsOf } from './numbers.ts'
import { chart, linear, niceTicks, round } from './svg.ts'

export interface ScoreKind {
  name: string
  /** Style: 0 like the first line of a chart, 1 like the second. */
  series: 0 | 1
  logOdds: readonly number[]
}

interface Histogram {
  id: string
  title: string
  kinds: readonly ScoreKind[]
  threshold: number
  /** Range of the log odds; the same for adjacent histograms. */
  range: readonly [number, number]
  /** The same height as the chart beside it. */
  isTall?: boolean
}

const width = 480
const [left, right, top] = [44, 470, 26]
const bins = 48

/** Range of the axis that includes all scores and the threshold. */
export function rangeOf(threshold: number, kinds: readonly ScoreKind[]): [number, number] {
  const at = logOddsOf(threshold)
  let [min, max] = [at - 3, at + 3]
  for (const { logOdds } of kinds)
    for (const value of logOdds) [min, max] = [Math.min(min, value), Math.max(max, value)]
  return [Math.floor(min), Math.ceil(max)]
}

/** Shares of the values by bin. */
export function sharesOf(values: readonly number[], [min, max]: readonly [number, number]): number[] {
  const shares = new Array<number>(bins).fill(0)
  for (const value of values) {
    const bin = Math.floor(((value - min) / (max - min)) * bins)
    shares[Math.max(0, Math.min(bins - 1, bin))]! += 1 / values.length
  }
  return shares
}

const scoreTicks: readonly (readonly [score: number, text: string])[] = [
  [1e-6, '10⁻⁶'],
  [0.001, '0.001'],
  [0.5, '0.5'],
  [0.999, '0.999'],
  [1 - 1e-6, '1 − 10⁻⁶'],
]

export function histogram(facts: Histogram): Markup {
  const { threshold, range } = facts
  const height = facts.isTall ? 400 : 210
  const bottom = height - 54
  const kinds = facts.kinds.filter(({ logOdds }) => logOdds.length > 0)
  const shares = kinds.map(({ logOdds }) => sharesOf(logOdds, range))
  const x = linear(range, [left, right])
  const y = linear([0, Math.max(0.01, ...shares.flat())], [bottom, top])
  const step = (right - left) / bins
  const atThreshold = x(logOddsOf(threshold))
  const outline = (heights: readonly number[]) =>
    `M${left} ${bottom}${heights.map((share, i) => `V${round(y(share))}H${round(left + (i + 1) * step)}`).join('')}V${bottom}`
  return html`<figure>${chart(
    {
      ...facts,
      width,
      height,
      description: kinds
        .map(
          ({ name, logOdds }) =>
            `${countText(logOdds.length)} ${name}, log odds ${Math.min(...ends(logOdds)).toFixed(1)} to ${Math.max(...ends(logOdds)).toFixed(1)}.`,
        )
        .join(' '),
    },
    [
      ...niceTicks(0, y.max, 3).map(
        (tick) =>
          html`<path class="grid" d="M${left} ${round(y(tick))}H${right}"/><text class="tick" x="${left - 6}" y="${round(y(tick) + 4)}" text-anchor="end">${Number((tick * 100).toPrecision(3))} %</text>`,
      ),
      ...niceTicks(range[0], range[1], 8).map(
        (tick) =>
          html`<text class="tick" x="${round(x(tick))}" y="${bottom + 18}" text-anchor="middle">${String(tick).replace('-', '−')}</text>`,
      ),
      ...scoreTicks
        .filter(([score]) => logOddsOf(score) > range[0] && logOddsOf(score) < range[1])
        .map(
          ([score, text]) =>
            html`<text class="tick" x="${round(x(logOddsOf(score)))}" y="${bottom + 34}" text-anchor="middle">${text}</text>`,
        ),
      ...kinds.map(({ series }, i) => html`<path class="area series-${series}" d="${outline(shares[i]!)}"/>`),
      html`<path class="axis" d="M${left} ${bottom}H${right}"/><path class="threshold" d="M${round(atThreshold)} ${top - 6}V${bottom}"/>
<text class="label" x="${round(atThreshold)}" y="${top - 11}" text-anchor="middle">${threshold}</text>
<text class="name" x="${(left + right) / 2}" y="${height - 4}" text-anchor="middle">log odds, and below them the score</text>`,
    ],
  )}<figcaption>${facts.title} <span class="counts">${kinds.map(({ name, series, logOdds }) => html`<span class="swatch series-${series}"></span>${name}: ${countText(logOdds.length)} `)}</span></figcaption></figure>`
}

/** The smallest and the largest value. */
function ends(values: readonly number[]): [number, number] {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const value of values) [min, max] = [Math.min(min, value), Math.max(max, value)]
  return [min, max]
}
