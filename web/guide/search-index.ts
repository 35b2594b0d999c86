/** What the search index of the guide holds, and how it is searched. The build writes it, the page reads it. */
import { stemmer as stemEnglish } from '@orama/stemmers/english'
import { stemmer as stemGerman } from '@orama/stemmers/german'
import { stemmer as stemRussian } from '@orama/stemmers/russian'
import { stemmer as stemSpanish } from '@orama/stemmers/spanish'
import { stopwords as english } from '@orama/stopwords/english'
import { stopwords as german } from '@orama/stopwords/german'
import { stopwords as russian } from '@orama/stopwords/russian'
import { stopwords as spanish } from '@orama/stopwords/spanish'
import type { Options, SearchOptions } from 'minisearch'

/** A section of a page. */
export interface Section {
  /** Its address. */
  id: string
  page: string
  title: string
  text: string
  /** Words by which people look for it, also in other languages; they are not shown. */
  words: string
}

/** Words that every question has. Names of things that are also such a word, as `can` and `may`, are in no title. */
const commonWords = new Set([...english, ...german, ...russian, ...spanish])

/** The guide is written in English; other languages stand only in `words`. */
const stemmers: Readonly<Record<string, readonly ((word: string) => string)[]>> = {
  words: [stemEnglish, stemGerman, stemRussian, stemSpanish],
}
const stemsOf = (word: string, by: readonly ((word: string) => string)[]): string[] => [
  ...new Set(by.map((stem) => stem(word))),
]

/** @returns the stems of a word; `null` for one that says nothing */
const termsOf = (term: string, field: string | null): string[] | null => {
  const word = term.toLowerCase()
  if (word.length < 2 || commonWords.has(word)) return null
  return stemsOf(word, stemmers[field ?? 'words'] ?? [stemEnglish])
}

export const indexOptions: Options<Section> = {
  fields: ['title', 'page', 'text', 'words'],
  storeFields: ['title', 'page', 'text'],
  processTerm: (term, field) => termsOf(term, field ?? null),
}

export const searchOptions: SearchOptions = {
  prefix: (term) => term.length > 2,
  fuzzy: (term) => (term.length > 4 ? 0.2 : false),
  boost: { title: 3, page: 2, words: 4 },
  processTerm: (term) => termsOf(term, null),
}
