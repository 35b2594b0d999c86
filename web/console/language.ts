/** The language of the console. */
import { computed, signal } from '@preact/signals'
import {
  type Dictionaries,
  decimalText,
  fillText,
  findLanguage,
  isLanguage,
  keepLanguage,
  type Language,
  scoreText,
  type Values,
} from '../languages.ts'
import { de, type Text } from './texts/de.ts'
import { es } from './texts/es.ts'
import { ru } from './texts/ru.ts'

export type { Text }

const dictionaries: Dictionaries<Text> = { de, es, ru }

export const language = signal<Language>(findLanguage())
language.subscribe((name) => {
  document.documentElement.lang = name
})

export function setLanguage(name: string): void {
  if (!isLanguage(name)) return
  keepLanguage(name)
  language.value = name
}

/** A text in the chosen language; `{name}` is replaced by the value of that name. */
export function t(text: Text, values: Values = {}): string {
  const name = language.value
  return fillText(name === 'en' ? text : dictionaries[name][text], values, name)
}

/** A word of the service that has a text, or the word itself. */
export const word = (name: string, words: Readonly<Record<string, Text>>): string =>
  Object.hasOwn(words, name) ? t(words[name]!) : name

const formats = computed(() => ({
  time: new Intl.DateTimeFormat(language.value, { dateStyle: 'medium', timeStyle: 'short' }),
  exact: new Intl.DateTimeFormat(language.value, { dateStyle: 'long', timeStyle: 'long' }),
  day: new Intl.DateTimeFormat(language.value, { day: 'numeric', month: 'short' }),
  hour: new Intl.DateTimeFormat(language.value, { hour: 'numeric', minute: '2-digit' }),
  number: new Intl.NumberFormat(language.value),
  age: new Intl.RelativeTimeFormat(language.value),
}))

const toDate = (seconds: number): Date => new Date(seconds * 1000)

/** @param seconds since 1970, as in answers */
export const formatTime = (seconds: number): string => formats.value.time.format(toDate(seconds))
export const formatExactTime = (seconds: number): string => formats.value.exact.format(toDate(seconds))
export const formatDay = (seconds: number): string => formats.value.day.format(toDate(seconds))
export const formatHour = (seconds: number): string => formats.value.hour.format(toDate(seconds))
export const formatNumber = (value: number): string => formats.value.number.format(value)

export function formatBytes(bytes: number): string {
  const [value, unit] = bytes < 1e6 ? [bytes / 1e3, t('kB')] : [bytes / 1e6, t('MB')]
  return `${formatNumber(Number(value.toPrecision(3)))} ${unit}`
}

/** @param text a number of seconds, as it is written in the language */
export const withSeconds = (text: string): string => `${text} ${t('s')}`

const ages = [
  ['day', 24 * 3600, 2],
  ['hour', 3600, 1],
] as const

/** How long ago something was, such as "3 hours ago". @param seconds since 1970 */
export function formatAge(seconds: number): string {
  const age = Math.max(0, Date.now() / 1000 - seconds)
  const [unit, length] = ages.find(([, length, fewest]) => age >= fewest * length) ?? ['minute', 60]
  return formats.value.age.format(-Math.max(1, Math.floor(age / length)), unit)
}

/** @param digits after the point or comma */
export const formatDecimal = (value: number, digits: number): string =>
  decimalText(value, digits, language.value)

export const formatScore = (score: number): string => scoreText(score, language.value)
