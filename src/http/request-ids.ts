/** Ids that a request names, in its path and in its headers. */
import type { Context } from 'hono'
import { AppError } from '../errors.ts'
import { isUuid } from '../uuid.ts'
import type { AppEnv } from './app-env.ts'

/** No object has this id (RFC 9562, 5.9). */
export const nil = '00000000-0000-0000-0000-000000000000'

/**
 * An id of the path, in lower case. A malformed id becomes the nil UUID, so that it is answered like an object that does
 * not exist, after the same checks of the caller's rights.
 */
export function pathId(c: Context, name: string): string {
  const id = c.req.param(name)?.toLowerCase() ?? ''
  return isUuid(id) ? id : nil
}

const notId = (name: string): AppError =>
  new AppError('value_invalid', `Invalid value for uuid field ${name}`, {
    details: { key_path: name, expected: 'a UUID' },
    place: name,
  })

/** The header that names the company of a call. */
export const companyHeader = 'X-Forensic-Company-Id'

/**
 * Reads an id from the query; `null` if it is not there.
 * @throws {AppError} `value_invalid` if it is not a UUID
 */
export function queryId(c: Context, name: string): string | null {
  const id = c.req.query(name)
  if (id === undefined) return null
  if (!isUuid(id)) throw notId(name)
  return id.toLowerCase()
}

/**
 * Reads the company that a call is made for, in deployments with several companies.
 * @throws {AppError} `value_invalid` if the header is not a UUID
 */
export function readCompanyHeader(c: Context<AppEnv>): string | null {
  const id = c.req.header(companyHeader)
  if (id === undefined) return null
  if (!isUuid(id)) throw notId(companyHeader)
  return id.toLowerCase()
}
