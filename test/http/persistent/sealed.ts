/** Seals containers for callers of a server, and sends them. */
import { type SealedMedium, sealContainer } from '../../../client/seal.ts'
import { type RawPart, sealRaw } from '../../fixtures/containers.ts'
import { type Answer, postBytes } from '../client.ts'
import { call, type Signed, tokenHeader } from './service.ts'

type Caller = Pick<Signed, 'token'>

/** A new session token of a caller, and the keys of its server. */
async function openSession({ token }: Caller, base?: string) {
  const { session_token } = (await call(token, 'GET', '/api/authorize/session_token', undefined, base)).json
  return { sessionToken: session_token, keys: (await call(null, 'GET', '/api/jwks', undefined, base)).json }
}

/** A container with a new session token. */
export const sealFor = async (
  caller: Caller,
  payload: object,
  media: readonly SealedMedium[],
  base?: string,
): Promise<Uint8Array<ArrayBuffer>> => sealContainer({ ...(await openSession(caller, base)), payload, media })

/** The same of any parts. */
export async function sealPartsFor(
  caller: Caller,
  parts: readonly RawPart[],
): Promise<Uint8Array<ArrayBuffer>> {
  const { sessionToken, keys } = await openSession(caller)
  return sealRaw(sessionToken, parts, { recipient: keys.keys[0] })
}

export const postContainer = (
  { token }: Caller,
  body: Uint8Array,
  target = '/api/folders/',
  base?: string,
): Promise<Answer> => postBytes(target, body, 'application/octet-stream', tokenHeader(token), base)
