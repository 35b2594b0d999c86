/** Who is signed in, and the calls made in that name. */
import { signal } from '@preact/signals'
import {
  type Answers,
  AuthenticationError,
  type CallParts,
  call,
  createClient,
  type Operation,
  type User,
} from '../../client/index.ts'
import { type Action, findScope, type Resource, type Scope } from '../../src/identity/permissions.ts'

export interface ConsoleSession {
  token: string
  user: User
  /** Milliseconds without use after which the server ends the session. */
  idleMs: number
}

/** Why nobody is signed in. */
type Ending = 'never' | 'signed_out' | 'idle' | 'expired'

// One tab keeps it, until it is closed. The token that renews a session is not kept.
const storageKey = 'vivace-console'
const idleMinMs = 60_000
const idleMaxMs = 24 * 3600_000
const idleCheckMs = 5000

function readKept(): ConsoleSession | null {
  try {
    return JSON.parse(sessionStorage.getItem(storageKey) ?? 'null') as ConsoleSession | null
  } catch {
    return null
  }
}

function keep(kept: ConsoleSession | null): void {
  if (kept) sessionStorage.setItem(storageKey, JSON.stringify(kept))
  else sessionStorage.removeItem(storageKey)
}

export const session = signal<ConsoleSession | null>(readKept())
export const ending = signal<Ending>('never')

const client = createClient({
  token: () => session.peek()?.token ?? null,
  retry: { attempts: 1, pauseMaxMs: 3000 },
})

function end(reason: Ending): void {
  session.value = null
  ending.value = reason
  keep(null)
}

type Parts<O extends Operation> =
  Record<never, never> extends CallParts<O> ? [parts?: CallParts<O>] : [parts: CallParts<O>]

/**
 * Makes a call as the user who is signed in. If the server no longer knows the session, the console asks to sign in again.
 * @throws {ApiError} and {NetworkError} as `call`
 */
export async function api<O extends Operation>(operation: O, ...parts: Parts<O>): Promise<Answers[O]> {
  const token = session.peek()?.token
  try {
    return await call(client, operation, ...parts)
  } catch (error) {
    if (error instanceof AuthenticationError && token !== undefined && session.peek()?.token === token)
      end('expired')
    throw error
  }
}

/** @throws {ApiError} for wrong credentials */
export async function signIn(email: string, password: string): Promise<void> {
  const { access_token, expire_date, user } = await call(client, 'POST /api/authorize/auth', {
    body: { credentials: { email, password } },
  })
  const lifetimeMs = expire_date * 1000 - Date.now()
  // The clocks of server and browser may differ.
  const idleMs = Math.min(idleMaxMs, Math.max(idleMinMs, lifetimeMs))
  const signedIn = { token: access_token, user, idleMs }
  lastUseMs = Date.now()
  keep(signedIn)
  session.value = signedIn
}

export function signOut(reason: Ending = 'signed_out'): void {
  const gone = session.peek()
  if (!gone) return
  end(reason)
  const ended = createClient({ token: gone.token })
  // Without an answer the session ends on the server by itself.
  call(ended, 'POST /api/authorize/logout', { body: {} }).catch(() => {})
}

/** The scope in which the user may do something; `null` for none. */
export const scopeOf = (resource: Resource, action: Action): Scope | null =>
  session.value && findScope(session.value.user.user_type, resource, action)

export const may = (action: Action, resource: Resource): boolean => scopeOf(resource, action) !== null

/** Whether the user sees objects of all companies. */
export const seesCompanies = (): boolean => scopeOf('company', 'read') === 'all'

// Live lists call the server by themselves, which must not keep a session of nobody alive.
let lastUseMs = Date.now()
for (const event of ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'])
  window.addEventListener(event, () => (lastUseMs = Date.now()), { passive: true, capture: true })
setInterval(() => {
  const kept = session.peek()
  if (kept && Date.now() - lastUseMs > kept.idleMs) signOut('idle')
}, idleCheckMs)
