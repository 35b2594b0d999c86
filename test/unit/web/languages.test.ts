/** No English text is left in another language. */
import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { textsOf } from '../../../client/capture/texts.ts'
import { reasonTexts } from '../../../src/decide/reasons.ts'
import { gestureWords } from '../../../web/capture/gesture-words.ts'
import { linkWords } from '../../../web/capture/link-words.ts'
import { notes } from '../../../web/capture/notes.ts'
import { de } from '../../../web/console/texts/de.ts'
import { es } from '../../../web/console/texts/es.ts'
import { reasonsDe } from '../../../web/console/texts/reasons-de.ts'
import { reasonsEs } from '../../../web/console/texts/reasons-es.ts'
import { reasonsRu } from '../../../web/console/texts/reasons-ru.ts'
import { ru } from '../../../web/console/texts/ru.ts'

const capturePage = await readFile(new URL('../../../web/capture/index.html', import.meta.url), 'utf8')

const linkTexts = (language: keyof typeof linkWords): string[] => {
  const { endings, ...texts } = linkWords[language]
  return [...Object.values(texts), ...Object.values(endings).flat()]
}

const gestureTexts = (language: keyof typeof gestureWords): string[] => {
  const { names, ...texts } = gestureWords[language]
  return [...Object.values(texts), ...Object.values(names)]
}

const english = new Set([
  ...Object.values(textsOf('en')),
  ...Object.keys(de),
  ...linkTexts('en'),
  ...gestureTexts('en'),
  ...Object.values(reasonTexts).flatMap(({ message, advice }) => [message, advice]),
  ...[...capturePage.matchAll(/>([^<>]*\w[^<>]*)</g)].map(([, text]) => text),
])

const translated = { de: [de, reasonsDe], es: [es, reasonsEs], ru: [ru, reasonsRu] } as const
const languages = Object.keys(translated) as (keyof typeof translated)[]

const textsIn = (language: keyof typeof translated): string[] => [
  ...Object.values(textsOf(language)),
  ...Object.values(notes[language]!),
  ...linkTexts(language),
  ...gestureTexts(language),
  ...translated[language].flatMap((texts) => Object.values<string | readonly string[]>(texts).flat()),
]

/** What is written as in English. */
const sameWords: Readonly<Record<string, readonly string[]>> = {
  de: [
    'Clip',
    'Format',
    'Link',
    'Links',
    'Name',
    'Sandbox',
    'Status',
    'System',
    'Tags',
    'Version',
    'Webhooks',
  ],
  es: ['Id', 'Webhooks', 'no'],
  ru: [],
}

/** Words that none of the other languages has: they find sentences whose English was changed later. */
const englishWords = /\b(and|are|for|from|has|is|it|not|of|the|this|to|with|you|your)\b/i

/** Names that Russian writes in Latin letters. */
const latinNames = /\b(API|CLIENT|HEIC|JPEG|JSON|MP4|PDF|PNG|QR|SVC_\w+|WebM|ZIP|iPhone)\b/g

describe.each(languages)('the texts in %s', (language) => {
  const texts = textsIn(language)

  it('are not the English ones', () => {
    const left = texts.filter((text) => english.has(text) && !sameWords[language]!.includes(text))
    expect(left).toEqual([])
    expect(texts.filter((text) => englishWords.test(text.replaceAll(/\{\w+\}/g, '')))).toEqual([])
  })
})

it('the Russian texts have Cyrillic letters', () => {
  const lettersOf = (text: string) => text.replaceAll(/\{\w+\}/g, '').replaceAll(latinNames, '')
  expect(textsIn('ru').filter((text) => /\p{Script=Latin}/u.test(lettersOf(text)))).toEqual([])
})
