/** Findings of a medium as JSON. The vector of the template has a column of its own. */
import * as v from 'valibot'
import type { Findings, SubjectAssessment } from '../../assess/assessment.ts'
import type { ShotFacts } from '../../records/medium.ts'
import type { GestureName } from '../../vision/clip/gestures.ts'
import {
  clip,
  documentReading,
  eyes,
  type Frozen,
  face,
  gesture,
  known,
  measure,
  parseStored,
  quality,
  sampleDetail,
} from './forms.ts'

/** What is stored of a medium. */
export interface CodedFindings {
  found: Omit<Findings, 'profile'>
  bestShot: ShotFacts | null
  actionShot: ShotFacts | null
  /** The gesture whose peak was looked for; `null` if none was. */
  actionGesture: GestureName | null
  /** The portrait on a document; `null` or absent if none was requested or found. */
  portrait?: ShotFacts | null
}

const picture = v.object({
  md5: v.string(),
  size: v.number(),
  width: v.number(),
  height: v.number(),
  mimeType: v.string(),
})
const shot = v.nullable(v.object({ ...picture.entries, thumbnail: v.exactOptional(picture) }))

const subjectForm = v.object({
  eyes: v.exactOptional(eyes),
  quality,
  pad: v.variant('status', [
    v.object({ status: v.literal('not_run') }),
    v.object({
      status: v.literal('assessed'),
      attack: known,
      replay: measure,
      modelIds: v.array(v.string()),
    }),
  ]),
  template: v.variant('status', [
    v.object({ status: v.literal('not_run') }),
    v.object({ status: v.literal('too_small') }),
    v.object({ status: v.literal('extracted'), template: v.object({ modelId: v.string() }) }),
  ]),
})

const version = 1

const findingsForm = v.object({
  version: v.literal(version),
  quarterTurns: v.number(),
  faces: v.array(face),
  subject: v.nullable(subjectForm),
  clip: v.nullable(clip),
  print: v.nullable(v.array(measure)),
  detail: v.exactOptional(sampleDetail),
  document: v.exactOptional(v.nullable(documentReading)),
  bestShot: shot,
  actionShot: shot,
  actionGesture: v.nullable(gesture),
  portrait: v.exactOptional(shot),
})

/** The texts and bytes of the columns. */
export interface FindingsColumns {
  found: string
  template: Float32Array | null
}

export function encodeFindings({ found, ...shots }: CodedFindings): FindingsColumns {
  const { quarterTurns, faces, subject, clip: clipFound, print, detail, document } = found
  const form: Frozen<v.InferInput<typeof findingsForm>> = {
    version,
    ...{ quarterTurns, faces, subject, clip: clipFound, print },
    ...(detail ? { detail } : {}),
    ...(document === undefined ? {} : { document }),
    bestShot: shots.bestShot,
    actionShot: shots.actionShot,
    actionGesture: shots.actionGesture,
    ...(shots.portrait ? { portrait: shots.portrait } : {}),
  }
  const template = subject?.template
  return {
    found: JSON.stringify(v.parse(findingsForm, form)),
    template: template?.status === 'extracted' ? template.template.vector : null,
  }
}

function attachTemplate(
  { template, ...subject }: v.InferOutput<typeof subjectForm>,
  vector: Float32Array | null,
): SubjectAssessment {
  if (template.status !== 'extracted') return { ...subject, template }
  // A template without its vector counts as not extracted, so that it is extracted again.
  if (!vector) return { ...subject, template: { status: 'not_run' } }
  return { ...subject, template: { status: 'extracted', template: { ...template.template, vector } } }
}

/** @returns `null` for what is damaged, or of another version: the medium is assessed again */
export function decodeFindings({ found: text, template }: FindingsColumns): CodedFindings | null {
  const { success, output } = v.safeParse(findingsForm, parseStored(text), { abortEarly: true })
  if (!success) return null
  const { version: _, subject, bestShot, actionShot, actionGesture, portrait = null, ...found } = output
  return {
    found: { ...found, subject: subject && attachTemplate(subject, template) },
    ...{ bestShot, actionShot, actionGesture, portrait },
  }
}
