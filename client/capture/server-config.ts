/** What the server says about itself. */
import type { Answers } from '../answers.ts'
import { type Client, call } from '../call.ts'
import { ApiError } from '../errors.ts'

export type ServerConfig = Answers['GET /api/config']

/** The answers of servers that tell this caller nothing about themselves. */
const tellsNothing = new Set([401, 403, 404])

/**
 * @returns `null` if the server does not tell this caller
 * @throws {ApiError} if it cannot tell now; {NetworkError} if it cannot be reached
 */
export async function readConfig(
  client: Client,
  signal: AbortSignal | undefined,
): Promise<ServerConfig | null> {
  try {
    return await call(client, 'GET /api/config', signal ? { signal } : {})
  } catch (error) {
    if (error instanceof ApiError && tellsNothing.has(error.status)) return null
    throw error
  }
}
