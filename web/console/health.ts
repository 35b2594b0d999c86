/** The health of the service, also while a part of it does not work: then the server answers 503, and says which part. */
import { call, createClient, type Fetch, type Health } from '../../client/index.ts'
import { session } from './session.ts'

const fetchHealth: Fetch = async (address, init) => {
  const response = await fetch(address, init)
  if (response.status !== 503) return response
  const text = await response.text()
  // A server or a proxy that refuses the call names no parts.
  const status = text.includes('"components"') ? 200 : response.status
  return new Response(text, { status, headers: response.headers })
}

// Figures of the whole server are for those who run it.
const client = createClient({
  token: () => session.peek()?.token ?? null,
  retry: { attempts: 0 },
  fetch: fetchHealth,
})

/** @throws {ApiError} and {NetworkError} as `call` */
export const readHealth = (signal: AbortSignal): Promise<Health> =>
  call(client, 'GET /api/healthcheck', { signal })
