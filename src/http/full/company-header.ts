import type { Context } from 'hono'
import { AppError } from '../../errors.ts'
import { isUuid } from '../../uuid.ts'
import type { AppEnv } from '../app-env.ts'

/**
 * Reads the company that a call is made for, in deployments with several companies.
 * @throws {AppError} `value_invalid` if the header is not a UUID
 */
export function readCompanyHeader(c: Context<AppEnv>): string | null {
  const id = c.req.header('X-Forensic-Company-Id')
  if (id === undefined) return null
  if (!isUuid(id)) throw new AppError('value_invalid', 'Invalid value for uuid field X-Forensic-Company-Id')
  return id.toLowerCase()
}
