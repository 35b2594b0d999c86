/** Verdicts in plain words. */
import type { Analysis, CheckAnswer } from './answer.ts'
import { analysisOf } from './answer.ts'

type Tone = 'good' | 'bad' | 'open'

export interface Verdict {
  tone: Tone
  title: string
  text: string
}

/** Reasons that are told: the gravest. */
const reasonsMax = 3

/** Why the service did not decide with success, and what to do. */
export const describeReasons = ({ technical_meta_data }: Analysis): string =>
  (technical_meta_data.reasons ?? [])
    .slice(0, reasonsMax)
    .map(({ message, advice }) => `${message} ${advice}`)
    .join(' ')

/** A score that passes is called near the threshold from this share of it on. */
const nearShare = 0.8

/** `null` for an attack score that is far from the threshold. */
function describeNear({ confs, results_data }: Analysis): Verdict | null {
  const score = results_data?.confidence_spoofing ?? null
  const threshold = confs.threshold_spoofing ?? 0.5
  if (score === null || score < nearShare * threshold) return null
  return {
    tone: 'open',
    title: 'Barely a live person',
    text: `It passes, but its attack score of ${score.toFixed(3)} is near ${threshold}, from which on it would not. A sharper picture in even light tells more.`,
  }
}

export function livenessVerdict(answer: CheckAnswer): Verdict {
  const analysis = analysisOf(answer.folder, 'QUALITY')
  if (!analysis) return { tone: 'open', title: 'Not checked', text: 'The answer has no liveness analysis.' }
  if (analysis.resolution === 'SUCCESS')
    return (
      describeNear(analysis) ?? {
        tone: 'good',
        title: 'A live person',
        text: 'No signs of a print, a screen or a moved picture.',
      }
    )
  if (analysis.resolution === 'DECLINED')
    return { tone: 'bad', title: 'Probably not live', text: describeReasons(analysis) }
  return { tone: 'open', title: 'Could not be decided', text: describeReasons(analysis) }
}

const matchWords: Readonly<Record<string, Verdict>> = {
  SUCCESS: { tone: 'good', title: 'The same person', text: 'The selfie and the ID show one face.' },
  DECLINED: {
    tone: 'bad',
    title: 'Different people',
    text: 'The faces of the selfie and the ID do not match.',
  },
  OPERATOR_REQUIRED: {
    tone: 'open',
    title: 'Not certain',
    text: 'The faces are neither clearly alike nor clearly different: a person should compare them.',
  },
}

const liteDecisions: Readonly<Record<string, string>> = {
  approved: 'SUCCESS',
  declined: 'DECLINED',
  operator_required: 'OPERATOR_REQUIRED',
}

const undecided = (message: string): Verdict => ({
  tone: 'open',
  title: 'Could not be compared',
  text: `${message.replace(/\.$/, '')}.`,
})

/** `null` if nothing was compared. */
export function matchVerdict({ folder, match }: CheckAnswer): Verdict | null {
  if (match)
    return 'message' in match ? undecided(match.message) : matchWords[liteDecisions[match.decision] ?? '']!
  const analysis = analysisOf(folder, 'BIOMETRY')
  if (!analysis) return null
  return matchWords[analysis.resolution] ?? undecided(describeReasons(analysis))
}

export const partWords: Readonly<Record<string, { name: string; hint: string }>> = {
  frames: { name: 'Picture', hint: 'Does it look like skin, or like print and screen?' },
  movement: { name: 'Movement', hint: 'Does the face move by itself, or like a moved picture?' },
  identity: { name: 'Identity', hint: 'Is it one person from start to end?' },
  challenge: { name: 'Challenge', hint: 'Does it answer what was asked for in this session?' },
}

export const stageWords: Readonly<Record<string, string>> = {
  decode: 'Decode',
  frames: 'Frames',
  detect: 'Find faces',
  landmarks: 'Landmarks',
  quality: 'Quality',
  pad: 'Attack detection',
  template: 'Template',
  shots: 'Pictures',
}
