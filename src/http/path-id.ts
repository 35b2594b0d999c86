import type { Context } from 'hono'
import { isUuid } from '../uuid.ts'

/** No object has this id (RFC 9562, 5.9). */
const nil = '00000000-0000-0000-0000-000000000000'

/**
 * An id of the path, in lower case. What is no id names nothing: it is answered like any object that is not there, and only
 * to those who may look for one.
 */
export function pathId(c: Context, name: string): string {
  const id = c.req.param(name)?.toLowerCase() ?? ''
  return isUuid(id) ? id : nil
}
