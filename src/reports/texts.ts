/** How reports write values. */

import type { Json } from '../contract/spaced-json.ts'
import type { AnalysisRecord } from '../records/analysis.ts'
import type { NamedValue } from './report.ts'

/** Characters of one value in a report. */
const valueLengthMax = 10_000

const verdictWords: ReadonlyMap<string, string> = new Map([
  ['INITIAL', 'Not analysed'],
  ['PROCESSING', 'In progress'],
  ['FAILED', 'Failed'],
  ['FINISHED', 'Finished'],
  ['DECLINED', 'Declined'],
  ['OPERATOR_REQUIRED', 'To be decided'],
  ['SUCCESS', 'Accepted'],
])

/** A state or verdict of the contract in words; the remark of an operator as it is. */
export const describeVerdict = (state: string): string => verdictWords.get(state) ?? shorten(state)

export const analysisTitles: Readonly<Record<AnalysisRecord['type'], string>> = {
  liveness: 'Liveness',
  verification: 'Comparison',
  identification: 'Search in a collection',
  documents: 'Document',
}

const scoreTitles: Readonly<Record<string, string>> = {
  confidence: 'Likeness',
  confidence_spoofing: 'Attack score',
  confidence_replay: 'Replay score',
  confidence_liveness: 'Liveness score',
}

export const describeScore = (name: string): string => scoreTitles[name] ?? name

/** A time in UTC, to the second. */
export const formatTime = (ms: number): string =>
  `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`

export const formatBytes = (bytes: number): string =>
  bytes < 1000
    ? `${bytes} B`
    : bytes < 1e6
      ? `${(bytes / 1000).toFixed(1)} kB`
      : `${(bytes / 1e6).toFixed(2)} MB`

/** A score with four digits, or with all if it would look like a threshold that it is not equal to. */
export function formatScore(score: number, threshold: number | null): string {
  const short = String(Number(score.toFixed(4)))
  return threshold !== null && score !== threshold && Number(short) === threshold ? String(score) : short
}

/** A long value is cut, and says so. */
export const shorten = (text: string): string =>
  text.length <= valueLengthMax
    ? text
    : `${text.slice(0, valueLengthMax).replace(/[\ud800-\udbff]$/, '')}… (${text.length} characters in all)`

/** Number of an object in the lists of a report; `removed` if it is no longer there. */
export function findNumber(list: readonly { id: string }[], id: string): string {
  const index = list.findIndex((candidate) => candidate.id === id)
  return index < 0 ? 'removed' : String(index + 1)
}

/** Numbers as a text, with ranges: `1, 3–5`. */
export function listNumbers(numbers: readonly string[]): string {
  const ranges: [first: string, last: string][] = []
  for (const number of numbers) {
    const range = ranges.at(-1)
    if (range && Number(number) === Number(range[1]) + 1) range[1] = number
    else ranges.push([number, number])
  }
  return ranges.map(([first, last]) => (first === last ? first : `${first}–${last}`)).join(', ')
}

/** The scalars of a value, each with its names from the outside in. */
export function flattenValues(value: Json, name = ''): NamedValue[] {
  if (Array.isArray(value) && value.every((item) => item === null || typeof item !== 'object'))
    return value.length === 0 ? [] : [{ name, value: shorten(value.join(', ')) }]
  if (value !== null && typeof value === 'object')
    return Object.entries(value).flatMap(([key, item]) => {
      const label = Array.isArray(value) ? String(Number(key) + 1) : key.replaceAll('_', ' ')
      return flattenValues(item as Json, name === '' ? label : `${name}, ${label}`)
    })
  return value === null || value === undefined || value === ''
    ? []
    : [{ name, value: shorten(String(value)) }]
}
