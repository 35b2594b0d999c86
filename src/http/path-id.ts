import type { Context } from 'hono'
import { isUuid } from '../uuid.ts'

/** No object has this id (RFC 9562, 5.9). */
const nil = '00000000-0000-0000-0000-000000000000'

/**
 * An id of the path, in lower case. A malformed id becomes the nil UUID, so that it is answered like an object that does
 * not exist, after the same checks of the caller's rights.
 */
export function pathId(c: Context, name: string): string {
  const id = c.req.param(name)?.toLowerCase() ?? ''
  return isUuid(id) ? id : nil
}
