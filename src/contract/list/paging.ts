/** Paging and sorting of lists. */
import { AppError } from '../../errors.ts'
import type { Paging, SortKey } from '../../records/list-query.ts'
import { sanitizeName } from '../unknown-name.ts'
import type { ListFields } from './filters.ts'

export const limitDefault = 100
export const limitMax = 5000
const limitForms = `from 0 to ${limitMax}, or -1 for all`
const defaultSortField = 'time_created'
const sortKeysMax = 10

const descriptorForm = /^([\w.]+)(?:\{(asc|desc)\})?$/i
const refusedPage = (name: string, message: string, expected: string): AppError =>
  new AppError('value_invalid', message, { details: { key_path: name, expected }, place: name })

function readInteger(search: URLSearchParams, name: string, fallback: number): number {
  const text = search.getAll(name).at(-1)?.trim() ?? ''
  return /^[+-]?\d+$/.test(text) ? Number(text) : fallback
}

/**
 * Reads `offset` and `limit`. A value that is not an integer counts as missing.
 * @throws {AppError} `value_invalid` for a negative offset, or for a limit below -1 or above 5000
 */
export function parsePaging(search: URLSearchParams): Paging {
  const offset = readInteger(search, 'offset', 0)
  if (offset < 0 || !Number.isSafeInteger(offset))
    throw refusedPage('offset', 'Invalid offset value for pagination', 'at least 0')
  const limit = readInteger(search, 'limit', limitDefault)
  if (limit < -1) throw refusedPage('limit', 'Invalid limit value for pagination', limitForms)
  if (limit > limitMax)
    throw refusedPage('limit', 'Invalid limit value for pagination - exceed max available', limitForms)
  return { offset, limit: limit === -1 ? null : limit }
}

function refusedSorting(descriptor: string, field: string, fields: ListFields): AppError {
  const sortable = Object.keys(fields).filter((name) => fields[name]!.sortable)
  const names = sortable.length === 0 ? 'nothing: this list has one order' : `one of ${sortable.join(', ')}`
  return new AppError('value_invalid', 'Invalid sorting descriptor', {
    details: {
      ...{ key_path: 'sorting', descriptor: sanitizeName(descriptor), field: sanitizeName(field) },
      expected: sortable.length === 0 ? names : `${names}, with {asc} or {desc}`,
    },
    place: 'sorting',
  })
}

function parseSortKey(descriptor: string, fields: ListFields): SortKey {
  const [, field = '', direction = 'desc'] = descriptorForm.exec(descriptor) ?? []
  const known = Object.hasOwn(fields, field) ? fields[field] : undefined
  if (!known?.sortable) throw refusedSorting(descriptor, field, fields)
  return { field: known.reads ?? field, direction: direction.toLowerCase() === 'asc' ? 'asc' : 'desc' }
}

/**
 * Reads `sorting`: a comma-separated list of `field{asc}`, `field{desc}` or `field`, which means descending. Without it,
 * a list with times starts with the newest item.
 * @throws {AppError} `value_invalid` for an unknown field, direction or form
 */
export function parseSorting(search: URLSearchParams, fields: ListFields): SortKey[] {
  const text = search.getAll('sorting').join(',').trim()
  if (text === '')
    return Object.hasOwn(fields, defaultSortField) ? [parseSortKey(defaultSortField, fields)] : []
  const descriptors = text.split(',', sortKeysMax + 1)
  if (descriptors.length > sortKeysMax) throw refusedSorting('', '', fields)
  return descriptors.map((descriptor) => parseSortKey(descriptor.trim(), fields))
}
