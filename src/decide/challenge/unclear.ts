import { type Failure, failures } from '../analysis.ts'
import type { CaptureVerdict } from '../capture.ts'
import type { Advice } from './step.ts'

/** What people can do so that a step can be told. */
const advices: Readonly<Record<Advice, string>> = {
  '': 'record another clip',
  less_light: 'go where it is darker, and make the screen as bright as it can be',
  nearer: 'come nearer when you are asked to',
  hold_still: 'hold the camera still, and keep the whole face in the picture',
  again: 'record another clip',
  other_way: 'the way without light was chosen, which proves nothing',
}

/** Without steps that were judged: the page saw too few of the camera's frames. */
const forSlowDevice = 'end other programs, or use another device'

/** The failure of a clip that does not tell whether the challenge was answered, with what to do. */
export function describeUnclear({ steps }: CaptureVerdict): Omit<Failure, 'mediumId'> {
  const { message } = failures.unclearChallenge
  const advice = steps?.find(({ status }) => status === 'cannot_tell')?.advice ?? ''
  return { ...failures.unclearChallenge, message: `${message}: ${steps ? advices[advice] : forSlowDevice}` }
}
