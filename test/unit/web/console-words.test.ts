import { describe, expect, it } from 'vitest'
import models from '../../../models/manifest.json' with { type: 'json' }
import { deliveryFailures } from '../../../src/events/deliver.ts'
import { userTypes } from '../../../src/identity/roles.ts'
import { de } from '../../../web/console/texts/de.ts'
import { es } from '../../../web/console/texts/es.ts'
import { ru } from '../../../web/console/texts/ru.ts'
import { assuranceWords, deliveryWords, roleWords, taskWords } from '../../../web/console/words.ts'

/** What the service may say, and the words of the console for it. */
const tables: [name: string, said: readonly string[], words: Readonly<Record<string, keyof typeof de>>][] = [
  ['results of deliveries', deliveryFailures, deliveryWords],
  ['roles', userTypes, roleWords],
  ['tasks of networks', models.models.map(({ task }) => task), taskWords],
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

  it.each(Object.entries({ de, es, ru }))('%s has each text with its values', (_, dictionary) => {
    const valuesOf = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([value]) => value).sort()
    const wrong = Object.entries(dictionary).filter(
      ([text, translated]) => valuesOf(text).join() !== valuesOf(translated).join(),
    )
    expect(wrong).toEqual([])
  })
})
