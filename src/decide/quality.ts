import { invariant } from '../errors.ts'
import type { DecidedMedium, Outcome } from './analysis.ts'
import { type QualityGate, sampleFailure } from './sample.ts'

export interface QualityParameters {
  /** Attack score from which a sample is declined. */
  thresholdSpoofing: number
  extractBestShot: boolean
  gate: QualityGate
}

/** PAD scores of one medium. */
export interface MediumLiveness {
  mediumId: string
  /** 0 bona fide … 1 presentation attack. */
  attack: number
  replay: number
}

export interface QualityVerdict {
  outcome: Outcome
  /** One for each medium that could be assessed. */
  media: readonly MediumLiveness[]
  /** Highest attack score, `null` when no medium could be assessed. */
  worstAttack: number | null
}

/**
 * Liveness: every medium must be a bona fide sample. One attack declines all; one medium that cannot be decided on fails
 * all, since nobody may pass by adding an empty picture.
 */
export function decideQuality(
  media: readonly DecidedMedium[],
  parameters: QualityParameters,
): QualityVerdict {
  const scores: MediumLiveness[] = []
  let failure = null
  for (const medium of media) {
    const problem = sampleFailure(medium, parameters.gate)
    failure ??= problem
    if (problem) continue
    const pad = medium.assessment.subject?.pad
    invariant(pad?.status === 'assessed', 'a liveness analysis needs media with PAD scores')
    scores.push({ mediumId: medium.id, attack: pad.attack, replay: pad.replay })
  }
  const worstAttack = scores.length === 0 ? null : Math.max(...scores.map(({ attack }) => attack))
  if (failure) return { outcome: { status: 'failed', failure }, media: scores, worstAttack }
  // A score that is no number is not under the threshold either.
  const isBonaFide = worstAttack !== null && worstAttack < parameters.thresholdSpoofing
  return {
    outcome: { status: 'finished', decision: isBonaFide ? 'SUCCESS' : 'DECLINED' },
    media: scores,
    worstAttack,
  }
}
