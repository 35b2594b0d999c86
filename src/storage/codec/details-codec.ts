/** How the results of an analysis came about, as JSON. */
import * as v from 'valibot'
import { invariant } from '../../errors.ts'
import type { MediumDetail } from '../../records/analysis.ts'
import { documentReading, type Frozen, measure, parseStored, sampleDetail } from './forms.ts'

const version = 1

const ms = v.exactOptional(measure)

const detailsForm = v.object({
  version: v.literal(version),
  media: v.array(
    v.object({
      sample: v.nullable(sampleDetail),
      parts: v.record(v.string(), v.nullable(v.number())),
      document: v.exactOptional(v.nullable(documentReading)),
      stageMs: v.nullable(
        v.object({
          decode: ms,
          frames: ms,
          movement: ms,
          detect: ms,
          landmarks: ms,
          quality: ms,
          pad: ms,
          template: ms,
          document: ms,
          shots: ms,
        }),
      ),
    }),
  ),
})

export function encodeDetails(media: readonly MediumDetail[]): string {
  const form: Frozen<v.InferInput<typeof detailsForm>> = { version, media }
  return JSON.stringify(v.parse(detailsForm, form))
}

/** @throws {TypeError} for what is damaged, or of another version */
export function decodeDetails(text: string): readonly MediumDetail[] {
  const { success, output } = v.safeParse(detailsForm, parseStored(text), { abortEarly: true })
  invariant(success, 'stored details have the form of this release')
  return output.media
}
