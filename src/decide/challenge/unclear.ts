import { failures } from '../analysis.ts'
import type { CaptureVerdict } from '../capture.ts'
import type { Advice } from './step.ts'

/** What people can do so that a step can be told. */
const advices: Readonly<Record<Advice, string>> = {
  '': 'record another clip',
  again: 'record another clip',
  other_way: 'the way without light was chosen, which proves nothing',
}

/** The failure of a clip that does not tell whether the challenge was answered, with what to do. */
export function describeUnclear({ steps = [] }: CaptureVerdict): { code: number; message: string } {
  const { code, message } = failures.unclearChallenge
  const advice = steps.find(({ status }) => status === 'cannot_tell')?.advice ?? ''
  return { code, message: `${message}: ${advices[advice]}` }
}
