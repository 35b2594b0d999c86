/** Scales and elements shared by the charts. Sizes are in units of the view box. */
import { html, type Markup } from './markup.ts'

interface Scale {
  (value: number): number
  min: number
  max: number
}

export function linear([min, max]: readonly [number, number], [from, to]: readonly [number, number]): Scale {
  const scale = (value: number) => {
    const held = Math.max(min, Math.min(max, value))
    return from + ((held - min) / (max - min || 1)) * (to - from)
  }
  return Object.assign(scale, { min, max })
}

/** Rates below `min` are drawn on the edge, because zero has no logarithm. */
export function logarithmic([min, max]: readonly [number, number], range: readonly [number, number]): Scale {
  const inner = linear([Math.log10(min), Math.log10(max)], range)
  return Object.assign((value: number) => inner(Math.log10(Math.max(value, min))), { min, max })
}

/** About `count` round tick values. */
export function niceTicks(min: number, max: number, count: number): number[] {
  const rough = (max - min) / count
  const size = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((factor) => factor * size).find((value) => value >= rough)!
  const first = Math.ceil(min / step)
  const length = Math.floor(max / step + 1e-9) - first + 1
  return Array.from({ length }, (_, i) => (first + i) * step)
}

export const round = (value: number): number => Math.round(value * 10) / 10

/** Removes points that would be drawn on top of the previous one. */
export function pathOf(points: readonly (readonly [number, number])[]): string {
  const drawn: string[] = []
  for (const [x, y] of points) {
    const text = `${round(x)} ${round(y)}`
    if (drawn.at(-1) !== text) drawn.push(text)
  }
  return drawn.length === 0 ? '' : `M${drawn.join('L')}`
}

/** A chart with name and description for screen readers. */
export const chart = (
  facts: { id: string; title: string; description: string; width: number; height: number },
  content: readonly Markup[],
): Markup => html`<svg viewBox="0 0 ${facts.width} ${facts.height}" role="img" aria-labelledby="${facts.id}-title ${facts.id}-description">
<title id="${facts.id}-title">${facts.title}</title><desc id="${facts.id}-description">${facts.description}</desc>
${content}</svg>`

/** The legend, outside of the chart so that it keeps its size on small screens. */
export const legend = (names: readonly string[]): Markup =>
  html`<ul class="legend">${names.map(
    (name, i) =>
      html`<li><svg viewBox="0 0 28 8" aria-hidden="true"><path class="line series-${i}" d="M0 4H28"/></svg>${name}</li>`,
  )}</ul>`
