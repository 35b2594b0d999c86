/** The direction in which the lines of a page run. */
import type { Point } from '../../geometry.ts'
import { type RotatedBox, turnAxis } from './rotated-box.ts'

/** Boxes that are at least so many times as wide as high show the direction of their text. */
const longRatio = 2

export const isLong = ({ width, height }: RotatedBox): boolean =>
  Math.max(width, height) >= longRatio * Math.min(width, height)

/**
 * The direction along most lines, without its sense: upside-down text has the same.
 * @param boxes their axes along the longer sides
 * @returns a unit vector to the right, or down; `null` if no box shows a direction
 */
export function findDirection(boxes: readonly RotatedBox[]): Point | null {
  // Opposite directions are the same after doubling the angle, so they add up.
  let [x, y] = [0, 0]
  for (const { axis, width } of boxes.filter(isLong)) {
    x += width * (axis.x * axis.x - axis.y * axis.y)
    y += width * 2 * axis.x * axis.y
  }
  if (Math.hypot(x, y) < 1e-9) return null
  const angle = Math.atan2(y, x) / 2
  return { x: Math.cos(angle), y: Math.sin(angle) }
}

/** Turns the axis of a box into the direction of the page. A long box across the page keeps its own: its text runs upwards. */
export function alignBox(box: RotatedBox, direction: Point): RotatedBox {
  const turns = [0, 1, 2, 3].map((quarterTurns) => turnAxis(box, quarterTurns))
  const along = ({ axis }: RotatedBox) => axis.x * direction.x + axis.y * direction.y
  const [nearest] = turns.sort((a, b) => along(b) - along(a))
  return isLong(box) && nearest!.width < nearest!.height ? turnAxis(nearest!, 3) : nearest!
}

/** Sorts boxes from the top of the page to its bottom, those of one row from left to right. */
export function sortForReading(boxes: readonly RotatedBox[], direction: Point): RotatedBox[] {
  const down = ({ centre }: RotatedBox) => centre.y * direction.x - centre.x * direction.y
  const along = ({ centre }: RotatedBox) => centre.x * direction.x + centre.y * direction.y
  const rows: RotatedBox[][] = []
  for (const box of [...boxes].sort((a, b) => down(a) - down(b))) {
    const row = rows.at(-1)
    if (row && down(box) - down(row[0]!) < Math.min(box.height, row[0]!.height) / 2) row.push(box)
    else rows.push([box])
  }
  return rows.flatMap((row) => row.sort((a, b) => along(a) - along(b)))
}
