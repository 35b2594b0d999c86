/**
 * Colours with which the screen lights the face. The rule is WCAG 2.3.1 (three flashes or below threshold), kept with room to spare:
 *
 * - A flash is a pair of opposing changes. No colour lasts less than 400 ms, so there are at most 2.5 changes, or 1.25 flashes, in
 *   a second; three are allowed.
 * - Flashes of saturated red, where R / (R + G + B) in linear light is 0.8 or more, have a bound of their own. No colour is so
 *   red.
 */
import * as v from 'valibot'
import type { ColoursStep } from '../format.ts'
import { type Below, drawFrom, type StepKind } from './step-kind.ts'

/** The corners of the cube of colours, without red: each channel is on or off, which is measured best. */
export const challengeColours = [
  '#000000',
  '#00ff00',
  '#0000ff',
  '#00ffff',
  '#ff00ff',
  '#ffff00',
  '#ffffff',
] as const

/** They differ by what a camera of ten frames a second still tells. */
export const colourMs = [400, 600] as const
export const colourCounts = [6, 7, 8] as const

/** Whether two colours differ in red or green. Skin returns little blue, so a change of blue alone hardly shows. */
const differClearly = (a: string, b: string): boolean => a.slice(0, 5) !== b.slice(0, 5)

/** The colours that may follow: none like the last one, and not the one before it, so that three in a row differ. */
export const colourAfter = (shown: readonly string[]): readonly string[] =>
  challengeColours.filter(
    (colour) => shown.length === 0 || (differClearly(colour, shown.at(-1)!) && colour !== shown.at(-2)),
  )

function drawColours(below: Below): string[] {
  const shown: string[] = []
  const count = drawFrom(colourCounts, below)
  while (shown.length < count) shown.push(drawFrom(colourAfter(shown), below))
  return shown
}

export const colours: StepKind<ColoursStep> = {
  draw: (below) => ({
    type: 'colours',
    colours: drawColours(below).map((colour) => ({ colour, ms: drawFrom(colourMs, below) })),
  }),
  form: v.object({
    type: v.literal('colours'),
    colours: v.pipe(
      v.array(
        v.object({
          colour: v.pipe(v.string(), v.regex(/^#[\da-f]{6}$/)),
          ms: v.pipe(v.number(), v.minValue(1)),
        }),
      ),
      v.minLength(1),
    ),
  }),
}
