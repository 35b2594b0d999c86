/** Verdicts in plain words. */
import { translateReason } from '../reasons.ts'
import type { Analysis, CheckAnswer } from './answer.ts'
import { analysisOf } from './answer.ts'
import { formatScore, language, type Text, t } from './language.ts'

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
    .map((reason) => translateReason(reason, language))
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
    title: t('Barely a live person'),
    text: t(
      'It passes, but its attack score of {score} is near {threshold}, from which on it would not. A sharper picture in even light tells more.',
      { score: formatScore(score), threshold },
    ),
  }
}

export function livenessVerdict(answer: CheckAnswer): Verdict {
  const analysis = analysisOf(answer.folder, 'QUALITY')
  if (!analysis)
    return { tone: 'open', title: t('Not checked'), text: t('The answer has no liveness analysis.') }
  if (analysis.resolution === 'SUCCESS')
    return (
      describeNear(analysis) ?? {
        tone: 'good',
        title: t('A live person'),
        text: t('No signs of a print, a screen or a moved picture.'),
      }
    )
  if (analysis.resolution === 'DECLINED')
    return { tone: 'bad', title: t('Probably not live'), text: describeReasons(analysis) }
  return { tone: 'open', title: t('Could not be decided'), text: describeReasons(analysis) }
}

const matchWords: Readonly<Record<string, Verdict>> = {
  SUCCESS: {
    tone: 'good',
    title: t('The same person'),
    text: t('The selfie and the ID show one face.'),
  },
  DECLINED: {
    tone: 'bad',
    title: t('Different people'),
    text: t('The faces of the selfie and the ID do not match.'),
  },
  OPERATOR_REQUIRED: {
    tone: 'open',
    title: t('Not certain'),
    text: t('The faces are neither clearly alike nor clearly different: a person should compare them.'),
  },
}

const liteDecisions: Readonly<Record<string, string>> = {
  approved: 'SUCCESS',
  declined: 'DECLINED',
  operator_required: 'OPERATOR_REQUIRED',
}

const undecided = (message: string): Verdict => ({
  tone: 'open',
  title: t('Could not be compared'),
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

export const partWords: Readonly<Record<string, { name: Text; hint: Text }>> = {
  frames: { name: 'Picture', hint: 'Does it look like skin, or like print and screen?' },
  movement: { name: 'Movement', hint: 'Does the face move by itself, or like a moved picture?' },
  identity: { name: 'Identity', hint: 'Is it one person from start to end?' },
  challenge: { name: 'Challenge', hint: 'Does it answer what was asked for in this session?' },
}

export const stageWords: Readonly<Record<string, Text>> = {
  decode: 'Decode',
  frames: 'Frames',
  detect: 'Find faces',
  landmarks: 'Landmarks',
  quality: 'Quality',
  pad: 'Attack detection',
  template: 'Template',
  shots: 'Pictures',
}
