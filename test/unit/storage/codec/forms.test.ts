import type { GenericSchema, InferOutput } from 'valibot'
import { expectTypeOf, it } from 'vitest'
import type { ClipFindings, SampleDetail } from '../../../../src/assess/assessment.ts'
import type { DocumentReading } from '../../../../src/documents/reading.ts'
import type { ClipEvidence } from '../../../../src/records/medium.ts'
import type * as forms from '../../../../src/storage/codec/forms.ts'
import type { DetectedFace } from '../../../../src/vision/face.ts'
import type { SampleQuality } from '../../../../src/vision/quality.ts'

/** The names of all members, those included that may be absent. */
type Names<T> = T extends readonly (infer Item)[]
  ? Names<Item>
  : T extends object
    ? { [Key in keyof T]-?: Names<NonNullable<T[Key]>> }
    : 'value'

type Equals<A, B> = [A, B] extends [B, A] ? true : false
type NamesAll<Form extends GenericSchema, T> = Equals<Names<InferOutput<Form>>, Names<T>>

it('forms name all members, so that none is lost', () => {
  expectTypeOf<NamesAll<typeof forms.face, DetectedFace>>().toEqualTypeOf<true>()
  expectTypeOf<NamesAll<typeof forms.quality, SampleQuality>>().toEqualTypeOf<true>()
  expectTypeOf<NamesAll<typeof forms.clipEvidence, ClipEvidence>>().toEqualTypeOf<true>()
  expectTypeOf<NamesAll<typeof forms.clip, ClipFindings>>().toEqualTypeOf<true>()
  expectTypeOf<NamesAll<typeof forms.sampleDetail, SampleDetail>>().toEqualTypeOf<true>()
  expectTypeOf<NamesAll<typeof forms.documentReading, DocumentReading>>().toEqualTypeOf<true>()
})
