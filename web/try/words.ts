/** Verdicts in plain words. */

import type { Reason } from '../../client/index.ts'
import { translateReason } from '../reasons.ts'
import { type Analysis, analysisOf, type CheckAnswer, isId, mediumOf } from './answer.ts'
import { formatScore, language, type Text, t } from './language.ts'

type Tone = 'good' | 'bad' | 'open'

export interface Verdict {
  tone: Tone
  title: string
  text: string
}

/** Reasons that are told: the gravest. */
const reasonsMax = 3

/** Why the service did not decide with success, and what to do; of several pictures also in which. */
export function describeReasons({ source_media, technical_meta_data }: Analysis): string {
  const { reasons = [], samples = [] } = technical_meta_data
  const describe = (reason: Reason): string => {
    const { message, advice } = translateReason(reason, language)
    const ids = source_media.length > reason.media_ids.length ? reason.media_ids : []
    const media = source_media.filter(({ media_id }) => ids.includes(media_id))
    const place = media.map((medium) => (isId(medium) ? t('ID') : t('Selfie'))).join(', ')
    const count =
      reason.code === 'several_faces' &&
      samples.find(({ media_id }) => reason.media_ids.includes(media_id))?.faces
    return [place && `${place}:`, message, count && `${t('Faces found: {count}', { count })}.`, advice]
      .filter((text) => text)
      .join(' ')
  }
  return reasons.slice(0, reasonsMax).map(describe).join(' ')
}

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
  const verdict = matchWords[analysis.resolution]
  if (!verdict) return undecided(describeReasons(analysis))
  const id = analysis.source_media.find(isId)
  const count = mediumOf(analysis, id?.media_id).sample?.faces ?? 0
  if (count < 2) return verdict
  return {
    ...verdict,
    text: `${verdict.text} ${t('The ID shows {count} faces: the largest was compared.', { count })}`,
  }
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
