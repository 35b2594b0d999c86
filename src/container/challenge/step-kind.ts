/** Interface of a type of challenge steps. Other code uses the registry and knows no type by name. */
import type * as v from 'valibot'
import type { ChallengeStep } from '../format.ts'

/** Returns a random whole number from 0 to below its argument. */
export type Below = (count: number) => number

export interface StepKind<Step extends ChallengeStep = ChallengeStep> {
  /** Draws a step. @param before the steps of the challenge so far */
  draw(below: Below, before: readonly ChallengeStep[]): Step
  /** The form of a step in a token. */
  form: v.GenericSchema<unknown, Step>
}

/** A drawn member of a list. */
export const drawFrom = <T>(list: readonly T[], below: Below): T => list[below(list.length)]!

/** Values from here on would make small numbers more likely. */
const valuesOfByte = 256

/** @param count at most 256 */
export function randomBelow(count: number): number {
  for (;;) {
    const [byte] = crypto.getRandomValues(new Uint8Array(1))
    if (byte! < valuesOfByte - (valuesOfByte % count)) return byte! % count
  }
}
