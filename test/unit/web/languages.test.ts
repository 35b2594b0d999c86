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
import { ru } from '../../../web/console/texts/ru.ts'
import { reasonsDe } from '../../../web/texts/reasons-de.ts'
import { reasonsEs } from '../../../web/texts/reasons-es.ts'
import { reasonsRu } from '../../../web/texts/reasons-ru.ts'
import { de as tryDe } from '../../../web/try/texts/de.ts'
import { es as tryEs } from '../../../web/try/texts/es.ts'
import { ru as tryRu } from '../../../web/try/texts/ru.ts'

const page = (name: string) => readFile(new URL(`../../../web/${name}/index.html`, import.meta.url), 'utf8')
const capturePage = await page('capture')
const tryPage = await page('try')

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
  ...Object.keys(tryDe),
  ...linkTexts('en'),
  ...gestureTexts('en'),
  ...Object.values(reasonTexts).flatMap(({ message, advice }) => [message, advice]),
  ...[...capturePage.matchAll(/>([^<>]*\w[^<>]*)</g)].map(([, text]) => text),
])

const translated = {
  de: [de, tryDe, reasonsDe],
  es: [es, tryEs, reasonsEs],
  ru: [ru, tryRu, reasonsRu],
} as const
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
    'Format',
    'Link',
    'Links',
    'Name',
    'Sandbox',
    'Selfie',
    'Status',
    'System',
    'Tags',
    'Token (X-Forensic-Access-Token)',
    'Version',
    'Webhooks',
    'kB',
    'MB',
    's',
    'ms',
  ],
  es: ['Id', 'Token (X-Forensic-Access-Token)', 'Webhooks', 'kB', 'MB', 's', 'ms', 'no'],
  ru: [],
}

/** Words that none of the other languages has: they find sentences whose English was changed later. */
const englishWords = /\b(and|are|for|from|has|is|it|not|of|the|this|to|with|you|your)\b/i

/** Names that Russian writes in Latin letters. */
const latinNames =
  /\b(API|CLIENT|Lite|Vivace|X-Forensic-Access-Token|curl|HEIC|JPEG|JSON|MP4|PDF|PNG|QR|SVC_\w+|WebM|ZIP|iPhone)\b/g

describe.each(languages)('the texts in %s', (language) => {
  const texts = textsIn(language)

  it('are not the English ones', () => {
    const left = texts.filter((text) => english.has(text) && !sameWords[language]!.includes(text))
    expect(left).toEqual([])
    expect(texts.filter((text) => englishWords.test(text.replaceAll(/\{\w+\}/g, '')))).toEqual([])
  })
})

it('the try page has a text for all that it says from the beginning', () => {
  const marked = [...tryPage.matchAll(/data-text>([^<]+)</g)].map(([, text]) => text!)
  const labels = [...tryPage.matchAll(/aria-label="([^"]+)" data-text="aria-label"/g)].map(
    ([, text]) => text!,
  )
  expect([...marked, ...labels].filter((text) => !Object.hasOwn(tryDe, text))).toEqual([])
  // All but the name of the project, and what is only there without scripts.
  const all = [...tryPage.replace(/<noscript>.*<\/noscript>/, '').matchAll(/>([^<>]*\w[^<>]*)</g)]
  expect(all.map(([, text]) => text!).filter((text) => !marked.includes(text))).toEqual(['Vivace'])
})

it('the Russian texts have Cyrillic letters', () => {
  const lettersOf = (text: string) => text.replaceAll(/\{\w+\}/g, '').replaceAll(latinNames, '')
  expect(textsIn('ru').filter((text) => /\p{Script=Latin}/u.test(lettersOf(text)))).toEqual([])
})
