import type { Context } from 'hono'
import { AppError } from '../errors.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/**
 * An id of the path, in lower case.
 * @throws {AppError} `not_found` for what is no id
 */
export function pathId(c: Context, name: string): string {
  const id = c.req.param(name)?.toLowerCase() ?? ''
  if (!uuid.test(id)) throw new AppError('not_found', '')
  return id
}
