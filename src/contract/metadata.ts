/** Changes and limits the metadata of one object. */
import { AppError } from '../errors.ts'
import { writeExactJson } from '../exact-json.ts'
import type { Metadata } from '../records/medium.ts'
import { measureJson } from './bounded-json.ts'

/** Fields at the top level. */
const keysMax = 1000
/** Fields and items at all levels, which lists of many objects have to write. */
const valuesMax = 4000
/** Characters as JSON, so that repeated changes cannot grow it without limit. */
const lengthMax = 256 * 1024

/** Adds or replaces fields. */
export const mergeFields = (metadata: Metadata, fields: Metadata): Metadata =>
  Object.fromEntries([...Object.entries(metadata), ...Object.entries(fields)])

/** Changes fields. A field set to `null` is removed. */
export const patchFields = (metadata: Metadata, fields: Metadata): Metadata =>
  Object.fromEntries(Object.entries(mergeFields(metadata, fields)).filter(([, value]) => value !== null))

/** @throws {AppError} `value_invalid` */
export function refuseExcess(metadata: Metadata): Metadata {
  if (Object.keys(metadata).length > keysMax)
    throw new AppError('value_invalid', `Metadata of one object has more than ${keysMax} fields`)
  const json = writeExactJson(metadata)
  if (json.length > lengthMax)
    throw new AppError(
      'value_invalid',
      `Metadata of one object is longer than ${lengthMax} characters of JSON`,
    )
  if (measureJson(json).values > valuesMax)
    throw new AppError('value_invalid', `Metadata of one object has more than ${valuesMax} values`)
  return metadata
}
