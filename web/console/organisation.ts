/** Signing in by the identity provider of the organisation: the page leaves for it, and comes back with a code in its address. */
import { call, createClient, type ProviderCode } from '../../client/index.ts'
import { keep, readKept } from '../kept.ts'

// The tab in which the sign-in began keeps it: an answer to another one is not taken.
const storageKey = 'vivace-organisation'

interface Left {
  flow: string
  /** Where the user was. */
  hash: string
}

/** Leaves for the page of the provider. @throws {ApiError} and {NetworkError} as `call` */
export async function leaveForProvider(): Promise<void> {
  const { url, flow } = await call(createClient(), 'GET /api/authorize/oidc')
  keep('sessionStorage', storageKey, JSON.stringify({ flow, hash: location.hash } satisfies Left))
  location.assign(url)
}

function takeLeft(): Left | null {
  try {
    return JSON.parse(readKept('sessionStorage', storageKey) ?? 'null') as Left | null
  } catch {
    return null
  } finally {
    keep('sessionStorage', storageKey, null)
  }
}

type Returned = ProviderCode | 'unfinished'
let returned: Returned | null = null

/** Takes what the provider has sent out of the address, before anything is shown. */
export function noteReturn(): void {
  const { code, state, iss, error } = Object.fromEntries(new URLSearchParams(location.search))
  if (!state || (!code && !error)) return
  const left = takeLeft()
  history.replaceState(null, '', location.pathname)
  if (left?.hash) location.replace(left.hash)
  returned = code && left ? { code, state, iss: iss ?? null, flow: left.flow } : 'unfinished'
}

/** What the provider has sent, once; `null` if the user does not come from there. */
export function takeReturn(): Returned | null {
  const taken = returned
  returned = null
  return taken
}
