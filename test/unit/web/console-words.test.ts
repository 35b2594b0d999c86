import { describe, expect, it } from 'vitest'
import models from '../../../models/manifest.json' with { type: 'json' }
import { analysisAnswer, documentResults } from '../../../src/contract/answers/folders.ts'
import { detailsView } from '../../../src/contract/full/detail-view.ts'
import { wireFields } from '../../../src/contract/full/document-fields.ts'
import { reasonCodes } from '../../../src/decide/reasons.ts'
import { deliveryFailures } from '../../../src/events/deliver.ts'
import { userTypes } from '../../../src/identity/roles.ts'
import { linkStates } from '../../../src/records/capture-link.ts'
import { gestureNames } from '../../../src/vision/clip/gestures.ts'
import { de } from '../../../web/console/texts/de.ts'
import { es } from '../../../web/console/texts/es.ts'
import { ru } from '../../../web/console/texts/ru.ts'
import {
  assuranceWords,
  checkWords,
  deliveryWords,
  gestureWords,
  roleWords,
  stateWords,
  taskWords,
  typeWords,
} from '../../../web/console/words.ts'
import { documentWordOf, documentWords } from '../../../web/document-words.ts'
import { findingWords } from '../../../web/finding-words.ts'
import { qualityWords } from '../../../web/quality.ts'
import { reasonsDe } from '../../../web/texts/reasons-de.ts'
import { reasonsEs } from '../../../web/texts/reasons-es.ts'
import { reasonsRu } from '../../../web/texts/reasons-ru.ts'

const { document_kind, validity, hints, text_fields } = documentResults.entries
const documentNames = [
  ...document_kind.wrapped.options,
  ...wireFields,
  ...Object.keys(validity.entries),
  ...Object.keys(hints.entries),
].map(documentWordOf)
const qualityNames = Object.fromEntries(
  Object.entries(qualityWords).map(([name, words]) => [name, words.name]),
)
const { quality_bounds } = detailsView([], []) as { quality_bounds: object }

/** What the service may say, and the words of the console for it. */
const tables: [name: string, said: readonly string[], words: Readonly<Record<string, keyof typeof de>>][] = [
  ['results of deliveries', deliveryFailures, deliveryWords],
  ['roles', userTypes, roleWords],
  ['tasks of networks', models.models.map(({ task }) => task), taskWords],
  ['gestures', gestureNames, gestureWords],
  ['names of documents', documentNames, documentWords],
  ['results of checks', text_fields.item.entries.status.options, checkWords],
  ['findings', text_fields.item.entries.finding.pipe[0].options, findingWords],
  ['types of analyses', analysisAnswer.entries.type.options, typeWords],
  ['resolutions', analysisAnswer.entries.resolution.options, stateWords],
  ['states of links', linkStates, stateWords],
  ['measures of quality', Object.keys(quality_bounds), qualityNames],
  ['assurances', Object.values(models.profiles).map(({ assurance }) => assurance), assuranceWords],
]

describe('the words of the console', () => {
  it.each(tables)('tell all %s in all languages', (_, said, words) => {
    const untold = said.filter((name) => !Object.hasOwn(words, name))
    expect(untold).toEqual([])
    const texts = said.map((name) => words[name]!)
    for (const dictionary of [de, es, ru])
      expect(texts.filter((text) => !dictionary[text]?.trim())).toEqual([])
  })

  it.each(Object.entries({ reasonsDe, reasonsEs, reasonsRu }))(
    '%s has sentences for every reason',
    (_, texts) => {
      expect(Object.keys(texts).sort()).toEqual([...reasonCodes].sort())
      expect(Object.values(texts).filter((pair) => !pair.every((text) => /^\S.*[^.]\.$/.test(text)))).toEqual(
        [],
      )
    },
  )

  it.each(Object.entries({ de, es, ru }))('%s has each text with its values', (_, dictionary) => {
    const valuesOf = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([value]) => value).sort()
    const wrong = Object.entries(dictionary).filter(
      ([text, translated]) => valuesOf(text).join() !== valuesOf(translated).join(),
    )
    expect(wrong).toEqual([])
  })
})
