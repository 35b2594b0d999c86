/** Lines over faces, as paths of SVG. */
import type { Box, Point } from './detail.ts'

/** Lines of landmarks that are not closed. */
export const openLines: ReadonlySet<string> = new Set(['nose_bridge', 'nose_base'])

export const toPath = (points: readonly Point[], isClosed: boolean): string =>
  `M${points.map((point) => point.join(' ')).join('L')}${isClosed ? 'Z' : ''}`

/** Corners of a box: they show the face and hide little of it. */
export function cornersOf([x, y, width, height]: Box): string {
  const reach = Math.min(width, height) / 5
  const corner = (cx: number, cy: number, dx: number, dy: number) =>
    `M${cx + dx * reach} ${cy}H${cx}V${cy + dy * reach}`
  return [
    corner(x, y, 1, 1),
    corner(x + width, y, -1, 1),
    corner(x, y + height, 1, -1),
    corner(x + width, y + height, -1, -1),
  ].join('')
}
