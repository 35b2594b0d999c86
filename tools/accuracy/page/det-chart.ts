/** Detection error trade-off: one error rate against the other, both logarithmic. */
import { html, type Markup } from './markup.ts'
import { rateText } from './numbers.ts'
import { chart, legend, logarithmic, pathOf } from './svg.ts'

interface DetCurve {
  name: string
  /** Points from one end to the other, as shares. */
  points: readonly { x: number; y: number }[]
}

/** A threshold on the first curve. */
interface DetMark {
  label: string
  x: number
  y: number
}

interface DetChart {
  id: string
  title: string
  xName: string
  yName: string
  curves: readonly DetCurve[]
  marks: readonly DetMark[]
  /** The smallest rate that the counts can resolve. */
  resolution: number
}

/** Maximum number of curves, limited by the line styles; further ones are listed in the table only. */
export const curvesMax = 8
const [width, height] = [480, 400]
const [left, right, top, bottom] = [80, 456, 14, 346]

export function detChart(facts: DetChart): Markup {
  const least = 10 ** Math.max(-6, Math.min(-2, Math.floor(Math.log10(facts.resolution))))
  const x = logarithmic([least, 1], [left, right])
  const y = logarithmic([least, 1], [bottom, top])
  const ticks = Array.from({ length: Math.round(-Math.log10(least)) + 1 }, (_, i) => least * 10 ** i)
  const tickText = (value: number) =>
    value === least
      ? `≤ ${Number((value * 100).toPrecision(2))} %`
      : `${Number((value * 100).toPrecision(2))} %`
  const curves = facts.curves.slice(0, curvesMax)
  const description = `${facts.yName} against ${facts.xName} for ${curves.map(({ name }) => name).join(', ')}. ${facts.marks
    .map(
      (mark) => `At ${mark.label}: ${facts.xName} ${rateText(mark.x)}, ${facts.yName} ${rateText(mark.y)}.`,
    )
    .join(' ')}`
  return html`<figure>${chart({ ...facts, description, width, height }, [
    ...ticks.map(
      (tick) => html`<path class="grid" d="M${x(tick)} ${top}V${bottom}M${left} ${y(tick)}H${right}"/>
<text class="tick" x="${x(tick)}" y="${bottom + 20}" text-anchor="middle">${tickText(tick)}</text>
<text class="tick" x="${left - 8}" y="${y(tick) + 4}" text-anchor="end">${tickText(tick)}</text>`,
    ),
    html`<path class="axis" d="M${left} ${top}V${bottom}H${right}"/>
<text class="name" x="${(left + right) / 2}" y="${height - 10}" text-anchor="middle">${facts.xName}</text>
<text class="name" transform="translate(14 ${(top + bottom) / 2}) rotate(-90)" text-anchor="middle">${facts.yName}</text>`,
    ...curves
      .map(
        (curve, i) =>
          html`<path class="line series-${i}" d="${pathOf(curve.points.map((point) => [x(point.x), y(point.y)]))}"/>`,
      )
      .reverse(),
    ...facts.marks.map((mark) => {
      const isRight = x(mark.x) > (left + right) / 2
      return html`<circle class="mark" cx="${x(mark.x)}" cy="${y(mark.y)}" r="5"/>
<text class="label" x="${x(mark.x) + (isRight ? -10 : 10)}" y="${y(mark.y) - 9}" text-anchor="${isRight ? 'end' : 'start'}">${mark.label}</text>`
    }),
  ])}
<figcaption>${facts.title}</figcaption>${legend(curves.map(({ name }) => name))}</figure>`
}
