import type { Context } from 'hono'
import { AppError } from '../../errors.ts'
import { isUuid } from '../../uuid.ts'
import type { AppEnv } from '../app-env.ts'

/** The tenant that a call is made for, in deployments that serve several. */
export function readCompanyHeader(c: Context<AppEnv>): string | null {
  const id = c.req.header('X-Forensic-Company-Id')
  if (id === undefined) return null
  if (!isUuid(id)) throw new AppError('value_invalid', 'Invalid value for uuid field X-Forensic-Company-Id')
  return id.toLowerCase()
}
