/** Who is signed in, and the calls made in that name. */
import { signal } from '@preact/signals'
import {
  type Answers,
  AuthenticationError,
  type CallParts,
  call,
  createClient,
  type Operation,
  type ProviderCode,
  type User,
} from '../../client/index.ts'
import { parseExactJson, writeExactJson } from '../../src/exact-json.ts'
import {
  type Action,
  findScope,
  isWithin,
  type Resource,
  type Scope,
} from '../../src/identity/permissions.ts'
import { keep, readKept } from '../kept.ts'
import { rememberAnswers } from './remembered-answers.ts'
import { forgetLists } from './route.ts'
import { noteUse, unusedMs } from './use.ts'

interface ConsoleSession {
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

function findKept(): ConsoleSession | null {
  try {
    const kept = JSON.parse(readKept('sessionStorage', storageKey) ?? 'null') as ConsoleSession
    const { token, user, idleMs } = kept
    return typeof token === 'string' && typeof user.user_type === 'string' && idleMs > 0 ? kept : null
  } catch {
    return null
  }
}

const keepSession = (kept: ConsoleSession | null): void =>
  keep('sessionStorage', storageKey, kept && JSON.stringify(kept))

export const session = signal<ConsoleSession | null>(findKept())
export const ending = signal<Ending>('never')

const answers = rememberAnswers((url, init) => fetch(url, init))

const client = createClient({
  token: () => session.peek()?.token ?? null,
  retry: { attempts: 1, pauseMaxMs: 3000 },
  fetch: answers.fetch,
  // People compare numbers of cases with their own records.
  json: { parse: parseExactJson, stringify: writeExactJson },
})

function end(reason: Ending): void {
  session.value = null
  answers.forget()
  forgetLists()
  ending.value = reason
  keepSession(null)
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

/** Whether an account asks for a code of an authenticator app: none was sent, or a wrong one. */
export function asksForCode(error: unknown): boolean {
  if (!(error instanceof AuthenticationError)) return false
  const { key_path } = (error.details ?? {}) as { key_path?: unknown }
  return key_path === 'credentials.code'
}

/** @throws {ApiError} for wrong credentials, and as `asksForCode` tells */
export async function signIn(email: string, password: string, code: string): Promise<void> {
  begin(
    await call(client, 'POST /api/authorize/auth', {
      body: { credentials: { email, password, ...(code === '' ? {} : { code }) } },
    }),
  )
}

/** @throws {ApiError} if the code is no longer valid, or the organisation gives no role */
export async function signInByCode(body: ProviderCode): Promise<void> {
  begin(await call(client, 'POST /api/authorize/oidc', { body }))
}

function begin({ access_token, expire_date, user }: Answers['POST /api/authorize/auth']): void {
  const lifetimeMs = expire_date * 1000 - Date.now()
  // The clocks of server and browser may differ.
  const idleMs = Math.min(idleMaxMs, Math.max(idleMinMs, lifetimeMs))
  const signedIn = { token: access_token, user, idleMs }
  noteUse()
  keepSession(signedIn)
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

/** Whether the user may do something with one object, or in one folder. */
export function mayWith(
  owner: { company_id: string | null; user_id: string | null },
  action: Action,
  resource: Resource,
): boolean {
  const { user_id, company_id } = session.value!.user
  const actor = { userId: user_id, companyId: company_id }
  return isWithin(scopeOf(resource, action), actor, { companyId: owner.company_id, userId: owner.user_id })
}

/** The right of a user to start analyses, by their type. */
export const startRights = {
  QUALITY: 'can_start_analysis_quality',
  BIOMETRY: 'can_start_analysis_biometry',
  COLLECTION: 'can_start_analysis_collection',
  DOCUMENTS: 'can_start_analysis_documents',
} as const

/** Whether the user may start analyses of a type somewhere. The rights of a user do not bind administrators of the service. */
export function mayStart(type: keyof typeof startRights): boolean {
  const user = session.value?.user
  return may('create', 'analysis') && (user?.user_type === 'ADMIN' || user?.[startRights[type]] === true)
}

/** Whether the user sees objects of all companies. */
export const seesCompanies = (): boolean => scopeOf('company', 'read') === 'all'

// Live lists call the server by themselves, which must not keep a session of nobody alive.
setInterval(() => {
  const kept = session.peek()
  if (kept && unusedMs() > kept.idleMs) signOut('idle')
}, idleCheckMs)
