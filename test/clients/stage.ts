/** Shared setup of the client tests: the server, its storage, and the company and users. */
import { describe, inject } from 'vitest'
import type { UserType } from '../../src/identity/roles.ts'
import { testedRuntime } from '../fixtures/server.ts'
import { type Answer, exchange } from './wire.ts'

const places = {
  file: 'a file of its own',
  remote: 'a remote libSQL server',
  s3: 'a file of its own and an S3 bucket',
} as const

/** Tests of one client, named after the storage, or after the reason why they are skipped. */
export function client(name: string, scenes: () => void): void {
  const skipped = inject('skipped')
  const where = `${name}, on ${testedRuntime} with ${places[inject('storage')]}`
  if (skipped === null) describe(where, scenes)
  else describe.skip(`${where} (skipped: ${skipped})`, scenes)
}

export const tokenHeader = (token: string) => ({ 'X-Forensic-Access-Token': token })

/** The local runtime of Workers may begin once more after it said that it is ready, and asks to send again. */
const isToSendAgain = ({ status, text }: Answer): boolean =>
  status === 503 && text.includes('Your worker restarted mid-request')

/** A request of an administrator's tool in plain JSON. */
export async function administer(
  token: string | null,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const send = () =>
    exchange(method, path, {
      headers: {
        ...(token === null ? {} : tokenHeader(token)),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const first = await send()
  const answer = isToSendAgain(first) ? await send() : first
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
  return answer
}

export interface Credentials {
  email: string
  password: string
}

export async function signIn(credentials: Credentials): Promise<string> {
  const { json } = await administer(null, 'POST', '/api/authorize/auth', { credentials })
  return json.access_token
}

/** A company for one client, and the token of an administrator. */
export async function newCompany(
  name: string,
  more: object = {},
): Promise<{ admin: string; company: string }> {
  const admin = await signIn(inject('admin'))
  const { json } = await administer(admin, 'POST', '/api/companies/', { name, ...more })
  return { admin, company: json.company_id }
}

let counter = 0

export async function newUser(admin: string, company: string, type: UserType): Promise<Credentials> {
  const credentials = {
    email: `client-${Date.now()}-${++counter}@vivace.test`,
    password: 'a password of a test',
  }
  const profile = { company_id: company, user_type: type, first_name: 'First', last_name: 'Last' }
  await administer(admin, 'POST', '/api/users/', { credentials, profile })
  return credentials
}

/** A user of a new company. */
export async function newClient(name: string, type: UserType = 'CLIENT'): Promise<Credentials> {
  const { admin, company } = await newCompany(name)
  return newUser(admin, company, type)
}
