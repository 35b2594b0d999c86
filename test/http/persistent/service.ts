/** A client of the persistent service: signs in, creates companies and users of every kind. */
import { inject } from 'vitest'
import type { UserType } from '../../../src/identity/roles.ts'
import { type Answer, send } from '../client.ts'

const admin = inject('admin')

export const tokenHeader = (token: string) => ({ 'X-Forensic-Access-Token': token })

export interface Signed {
  token: string
  expireToken: string
  userId: string
  companyId: string
}

/** A request with a token and, if there is a body, JSON. */
export const call = (
  token: string | null,
  method: string,
  path: string,
  body?: unknown,
  base?: string,
): Promise<Answer> =>
  send(
    path,
    {
      method,
      headers: {
        ...(token === null ? {} : tokenHeader(token)),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    },
    base,
  )

export const upload = (token: string, path: string, body: FormData, base?: string): Promise<Answer> =>
  send(path, { method: 'POST', headers: tokenHeader(token), body }, base)

export async function signIn(email: string, password: string, base?: string): Promise<Signed> {
  const { status, json, text } = await call(
    null,
    'POST',
    '/api/authorize/auth',
    { credentials: { email, password } },
    base,
  )
  if (status !== 200) throw new Error(text)
  return {
    token: json.access_token,
    expireToken: json.expire_token,
    userId: json.user.user_id,
    companyId: json.user.company_id,
  }
}

export const signInAsAdmin = (base?: string): Promise<Signed> => signIn(admin.email, admin.password, base)

export async function createCompany(token: string, name: string, base?: string): Promise<string> {
  const { status, json, text } = await call(token, 'POST', '/api/companies/', { name }, base)
  if (status !== 201) throw new Error(text)
  return json.company_id
}

let counter = 0

/** A new user, signed in. */
export async function createUser(
  token: string,
  companyId: string | null,
  type: UserType,
  base?: string,
): Promise<Signed & { email: string; password: string }> {
  const email = `user-${Date.now()}-${++counter}@vivace.test`
  const password = 'a password of a test'
  const { status, text } = await call(
    token,
    'POST',
    '/api/users/',
    { credentials: { email, password }, profile: { company_id: companyId, user_type: type } },
    base,
  )
  if (status !== 201) throw new Error(text)
  return { ...(await signIn(email, password, base)), email, password }
}

/** Polls an analysis as clients do until it is neither waiting nor running. */
export async function finished(token: string, id: string, base?: string): Promise<Answer['json']> {
  for (let i = 0; i < 1500; i++) {
    const { json } = await call(token, 'GET', `/api/analyses/${id}`, undefined, base)
    if (json.resolution !== 'PROCESSING' && json.resolution !== 'INITIAL') return json
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`analysis ${id} does not end`)
}
