/** The languages of the pages, and which of them somebody wants. English texts are their own keys. */
import { keep, readKept } from './kept.ts'

export const languageNames = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  ru: 'Русский',
} as const
export type Language = keyof typeof languageNames

/** The texts of the other languages by the English ones. */
export type Dictionaries<Text extends string> = Readonly<
  Record<Exclude<Language, 'en'>, Readonly<Record<Text, string>>>
>

const storageKey = 'vivace-language'
export const isLanguage = (name: string): name is Language => Object.hasOwn(languageNames, name)

/** The language that was chosen on a page, else the first of the browser's that there is. */
export function findLanguage(): Language {
  const wanted = [readKept('localStorage', storageKey) ?? '', ...(globalThis.navigator?.languages ?? [])]
  return wanted.map((name) => name.slice(0, 2).toLowerCase()).find(isLanguage) ?? 'en'
}

/** Keeps the choice for all pages. */
export const keepLanguage = (language: Language): void => keep('localStorage', storageKey, language)

export type Values = Readonly<Record<string, string | number>>

/** A threshold has more digits than are usually written. */
const manyDigits = { maximumFractionDigits: 6 }

/** Puts values in the place of their `{name}`, numbers as the language writes them. */
export const fillText = (text: string, values: Values, language: Language): string =>
  text.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? ''
    return typeof value === 'number' ? value.toLocaleString(language, manyDigits) : value
  })

/** @param digits after the point or comma */
export const decimalText = (value: number, digits: number, language: Language): string =>
  value.toLocaleString(language, { minimumFractionDigits: digits, maximumFractionDigits: digits })

/** A score, with a digit more where three would be none. */
export const scoreText = (score: number, language: Language): string =>
  decimalText(score, score > 0 && score < 0.001 ? 4 : 3, language)
