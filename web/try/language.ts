/** The language of the try page. */
import {
  type Dictionaries,
  decimalText,
  fillText,
  findLanguage,
  scoreText,
  type Values,
} from '../languages.ts'
import { de, type Text } from './texts/de.ts'
import { es } from './texts/es.ts'
import { ru } from './texts/ru.ts'

export type { Text }

const dictionaries: Dictionaries<Text> = { de, es, ru }

export const language = findLanguage()

/** A text in the language of the page; `{name}` is replaced by the value of that name. */
export const t = (text: Text, values: Values = {}): string =>
  fillText(language === 'en' ? text : dictionaries[language][text], values, language)

export const formatDecimal = (value: number, digits: number): string => decimalText(value, digits, language)

export const formatScore = (score: number): string => scoreText(score, language)
