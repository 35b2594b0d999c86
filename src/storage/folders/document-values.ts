/** Values of the results of documents by their paths in answers, for filters. */
import { type SQL, sql } from 'drizzle-orm'
import { fieldNames } from '../../documents/fields.ts'
import { analyses } from '../schema.ts'

/** Members of a field of the answer, and of the stored one. */
const members: Readonly<Record<string, string>> = {
  field_name: 'name',
  visual: 'visual',
  mrz: 'mrz',
  status: 'result',
  visual_confidence: 'visualConfidence',
  mrz_confidence: 'mrzConfidence',
}

/** Other members of the answer, and their stored places. */
const places: Readonly<Record<string, string>> = {
  document_kind: 'kind',
  document_format: 'format',
  issuing_state: 'issuingState',
  double_page_spread: 'doublePageSpread',
  'validity.check_digits': 'validity.checkDigits',
  'validity.expiry': 'validity.expiry',
  'validity.dates': 'validity.dates',
  'validity.agreement': 'validity.agreement',
  'validity.single_document': 'validity.singleDocument',
  'hints.screen': 'hints.isScreen',
  'hints.copy': 'hints.isCopy',
  'hints.mirrored': 'isMirrored',
}

/** A value as answers show it. */
const shown = (value: SQL, path: string): SQL => {
  if (/^validity\.|\.status$/.test(path))
    return sql`case ${value} when 'passed' then 'SUCCESS' when 'failed' then 'DECLINED' when 'unsure' then 'OPERATOR_REQUIRED' end`
  if (/^hints\.|^double_page_spread$/.test(path))
    return sql`case ${value} when 1 then 'true' when 0 then 'false' end`
  return value
}

const fields = sql`json_each(${analyses.evidence}, '$.document.fields')`

/** The name of a field as answers show it: `birth_date` is `Birth Date`. */
const wireName = (value: SQL): SQL => {
  const cases = fieldNames.map((name) => {
    const shownName = name.replace(
      /(^|_)([a-z])/g,
      (_, gap: string, letter: string) => (gap === '' ? '' : ' ') + letter.toUpperCase(),
    )
    return sql`when ${name} then ${shownName}`
  })
  return sql`case ${value} ${sql.join(cases, sql` `)} end`
}

/** Compares names as requests may write them: in any case, with anything between their words. */
const nameIs = (text: string): SQL =>
  sql`replace(json_extract(value, '$.name'), '_', '') = ${text.toLowerCase().replace(/[\s_-]/g, '')}`

/**
 * The value at `text_fields.0.mrz`, `text_fields.Surname.mrz`, or another member of the results; `null` if answers have no such path.
 * @param path keys from the outside in, chosen by the caller
 */
export function documentValue(path: readonly string[]): SQL | null {
  const name = path.join('.')
  const place = Object.hasOwn(places, name) ? places[name] : undefined
  if (place) return shown(sql`json_extract(${analyses.evidence}, ${`$.document.${place}`})`, name)
  const [list, key = '', member = '', ...more] = path
  if (list !== 'text_fields' || more.length > 0 || !Object.hasOwn(members, member)) return null
  const isWanted = /^\d{1,4}$/.test(key) ? sql`key = ${Number(key)}` : nameIs(key)
  const value = sql`json_extract(value, ${`$.${members[member]}`})`
  const found = member === 'field_name' ? wireName(value) : shown(value, name)
  return sql`(select ${found} from ${fields} where ${isWanted} limit 1)`
}
