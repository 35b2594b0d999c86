import { expect, it } from 'vitest'
import type { MediumDetail } from '../../../../src/records/analysis.ts'
import { decodeDetails, encodeDetails } from '../../../../src/storage/codec/details-codec.ts'
import { readingOf } from '../../../fixtures/document-readings.ts'

const details: MediumDetail[] = [
  { sample: null, parts: { attack: 0.5, movement: null }, stageMs: { decode: 1.5, pad: 2 } },
  { sample: null, parts: {}, document: readingOf({}), stageMs: null },
  { sample: null, parts: {}, document: null, stageMs: {} },
]

it('details are read as they were written, with their version', () => {
  expect(decodeDetails(encodeDetails(details))).toEqual(details)
  expect(JSON.parse(encodeDetails([]))).toEqual({ version: 1, media: [] })
})

it('what a challenge is measured on is not stored', () => {
  const challenge = { steps: [], light: [], approach: null }
  const [first] = decodeDetails(encodeDetails([{ ...details[0]!, challenge }]))
  expect(first).toEqual(details[0])
})

it.each(['', '{}', '{"version":2,"media":[]}', '{"version":1,"media":[{}]}', '[]', '[{"text":"ERIKSSON'])(
  'damaged details are refused, without their values: %s',
  (text) =>
    expect(() => decodeDetails(text)).toThrow(/^invariant: stored details have the form of this release$/),
)
