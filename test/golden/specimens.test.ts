/** Specimens of documents are read as their published fields say, by the networks of the profile. */
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { decideDocuments } from '../../src/analyses/documents/decide.ts'
import type { FieldName } from '../../src/documents/fields.ts'
import { assessPhoto } from '../fixtures/networks.ts'
import { hasTestData, testData } from '../fixtures/test-data.ts'
import { type Specimen, specimens, specimensToday } from './specimens.ts'

const wanted = { faces: true, template: false, pad: false, bestShot: false, document: { page: true } }

/** Recognition of printed text loses spaces, and takes the marks of inches and feet for one another. */
const squeeze = (value: string | null) => value?.replaceAll(' ', '').replaceAll(/[’‘`"”]/g, "'") ?? null

const readable = (values: Specimen['mrz']) =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [[name, squeeze(value)]])),
  )

/** Drawn in black on white. All the others have colours. */
const colourless = ['passporteye_77_card-cmw.png', 'yushulx_id_card_smith.png']

/** All specimens show one page. Without a zone nothing tells it from what is around it. */
const expectedHints = ({ file, lines }: Specimen) =>
  lines.length > 0
    ? { isCopy: colourless.includes(path.basename(file)), isScreen: null, doublePageSpread: false }
    : { isCopy: null, isScreen: null, doublePageSpread: null }

/** What is to be answered: the truth, and what is known to be answered otherwise. */
function expectedOf({ file: _, otherwise = [], ...truth }: Specimen) {
  const known = [truth, ...otherwise]
  const { answer, kind } = truth
  return {
    ...{ answer, kind },
    lines: known.findLast(({ lines }) => lines)?.lines,
    state: known.findLast(({ state }) => state !== undefined)?.state,
    mrz: readable(Object.assign({}, ...known.map(({ mrz }) => mrz))),
    visual: readable(Object.assign({}, ...known.map(({ visual }) => visual))),
  }
}

describe.skipIf(!hasTestData)('specimens of documents', () => {
  it.each(specimens)('$file is read as published', async (specimen) => {
    const assessment = await assessPhoto(await testData('documents', ...specimen.file.split('/')), wanted)
    const { outcome, evidence } = decideDocuments(
      [{ id: path.basename(specimen.file), tags: ['photo_id'], assessment }],
      { fieldsToCheck: null, doublePageSpread: true },
      specimensToday,
    )
    const { fields, kind, issuingState, zone, hints, doublePageSpread } = evidence.document
    const valuesOf = (source: 'mrz' | 'visual') =>
      Object.fromEntries(
        fields.flatMap((field): [FieldName, string | null][] =>
          field[source] === null ? [] : [[field.name, squeeze(field[source])]],
        ),
      )
    expect({
      answer: outcome.status === 'finished' ? outcome.decision : outcome.failure.code,
      lines: zone ?? [],
      mrz: valuesOf('mrz'),
      visual: valuesOf('visual'),
      kind,
      state: issuingState,
    }).toEqual(expectedOf(specimen))
    expect({ ...hints, doublePageSpread }).toEqual(expectedHints(specimen))
  })
})
