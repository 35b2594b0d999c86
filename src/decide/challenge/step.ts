/** A step of a challenge: what was asked, what the page reported about it, and how it is judged. */
import type { ClipFindings } from '../../assess/assessment.ts'
import type { ApproachStep } from '../../vision/challenge/measure-approach.ts'
import type { LightStep } from '../../vision/challenge/measure-light.ts'
import type { Piecewise } from '../../vision/challenge/pieces.ts'

/** Widths of the face as shares of the picture's shorter side. */
export interface AskedApproach extends ApproachStep {
  type: 'approach'
}

/** Colours of the screen (`#rrggbb`, sRGB), one after another, and how long each is shown. */
export interface AskedColours extends LightStep {
  type: 'colours'
}

/** A text is a gesture, or the type of a step that this server does not know, which no clip shows. */
export type AskedStep = string | AskedApproach | AskedColours

/** Whether the answer to a step is measured on what `AssessmentRequest.challenge` asks for. */
export const isMeasured = (asked: AskedStep): boolean => typeof asked !== 'string'

export const nameOfAsked = (asked: AskedStep): string => (typeof asked === 'string' ? asked : asked.type)

/** A step as the page reported it; times are seconds since the recording began. */
export interface CaptureStep {
  /** The gesture, or the type of another step. */
  gesture: string
  fromS: number
  toS: number
  /** When each colour was on the screen. */
  shown?: readonly (readonly [timeS: number, colour: string])[]
  /** The colours were faded into each other. */
  isSoft?: true
  /** The person asked for the way without light. */
  isSkipped?: true
}

/** What a person can do so that a step can be told; empty for nothing. */
export type Advice = '' | 'less_light' | 'nearer' | 'hold_still' | 'again' | 'other_way'

export interface StepFinding {
  status: 'performed' | 'not_performed' | 'cannot_tell'
  /** Words for what was found; empty if it was performed. */
  reasons: readonly string[]
  advice: Advice
  /** Score that an attack answered the step, 0…1; `null` if it says nothing about that. */
  attack: number | null
  /** All numbers that were found. */
  measures: Readonly<Record<string, number | null>>
}

interface StepEvidence<Asked extends AskedStep> {
  asked: Asked
  performed: CaptureStep
  clip: ClipFindings
  /** When the gesture before was performed, in seconds. */
  afterS: number
}

/** How steps of a type are judged. Another file of this folder for each; `registry.ts` lists them. */
export interface StepJudge<Asked extends AskedStep> {
  /** Words for evidence that the page owes. */
  findGaps?(performed: CaptureStep): string[]
  /** Words for evidence that does not fit what was asked. */
  findContradictions?(asked: Asked, performed: CaptureStep): string[]
  /** @returns with the time at which a gesture was performed, in seconds */
  judge(evidence: StepEvidence<Asked>): Piecewise<StepFinding & { timeS?: number }>
}

/** A clock of a recorder, or a page, is so far off. */
export const toleranceS = 0.7

/** A step of which nothing is known. @param reason word for why */
export const tellNothing = (reason: string, advice: Advice): StepFinding => ({
  status: 'cannot_tell',
  reasons: [reason],
  advice,
  attack: null,
  measures: {},
})

/** What the pixels tell about a step; all other members are numbers. */
interface Measured {
  status: StepFinding['status']
  advice: Advice
}

/** How much a step counts as an attack: a measure either tells a head from a picture or it does not, and has no degrees. */
const attackOf = { performed: 0, not_performed: 0.9, cannot_tell: null } as const

/** The finding of a measure for a step of a type. */
export function findByMeasure(type: string, { status, advice, ...numbers }: Measured): StepFinding {
  const words = { performed: [], not_performed: [`no_${type}`], cannot_tell: [`${type}_unclear`] }
  return { status, reasons: words[status], advice, attack: attackOf[status], measures: numbers }
}
