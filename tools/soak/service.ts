/** Speaks to the stateful service as its clients do, from outside of the test runner. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startServer, type TestServer } from '../../test/fixtures/server.ts'

export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: measurements look into answers of all shapes
  json: any
}

export interface Account {
  token: string
  userId: string
  companyId: string
}

const administrator = { email: 'root@vivace.test', password: 'correct horse battery' }

/** A server with a folder of its own that outlives it, so that it can end and start again. */
export class Service {
  readonly dataDir: string
  readonly #environment: Record<string, string>
  #server: TestServer | null = null

  private constructor(dataDir: string, environment: Record<string, string>) {
    this.dataDir = dataDir
    this.#environment = environment
  }

  /** Not started yet. */
  static async prepare(environment: Record<string, string> = {}): Promise<Service> {
    return new Service(await mkdtemp(path.join(tmpdir(), 'vivace-')), environment)
  }

  async start(): Promise<void> {
    this.#server = await startServer({
      SVC_ADMIN_EMAIL: administrator.email,
      SVC_ADMIN_PASSWORD: administrator.password,
      SVC_SESSION_TTL: '86400',
      DATA_DIR: this.dataDir,
      ...this.#environment,
    })
  }

  get server(): TestServer {
    if (!this.#server) throw new Error('the server is not running')
    return this.#server
  }

  /** Ends it as an operator does. */
  stop(): Promise<number | null> {
    return this.server.stop()
  }

  /** Ends it as a power cut does. */
  async kill(): Promise<void> {
    this.server.process.kill('SIGKILL')
    await this.server.stop()
  }

  async remove(): Promise<void> {
    await rm(this.dataDir, { recursive: true, force: true })
  }

  /** @throws {TypeError} when there is no answer */
  async send(token: string | null, method: string, target: string, body?: object): Promise<Answer> {
    const isForm = body instanceof FormData
    const response = await fetch(`${this.server.url}${target}`, {
      method,
      headers: {
        ...(token === null ? {} : { 'X-Forensic-Access-Token': token }),
        ...(body === undefined || isForm ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, json: text === '' ? null : JSON.parse(text) }
  }

  async signIn(credentials = administrator): Promise<Account> {
    const { status, json } = await this.send(null, 'POST', '/api/authorize/auth', { credentials })
    if (status !== 200) throw new Error(`signing in was answered ${status}`)
    return { token: json.access_token, userId: json.user.user_id, companyId: json.user.company_id }
  }

  async createCompany(admin: Account, name: string): Promise<string> {
    const { status, json } = await this.send(admin.token, 'POST', '/api/companies/', { name })
    if (status !== 201) throw new Error(`a company was answered ${status}`)
    return json.company_id
  }

  async createUser(admin: Account, companyId: string, type: string): Promise<Account> {
    const credentials = { email: `${crypto.randomUUID()}@vivace.test`, password: 'a password of a test' }
    const { status } = await this.send(admin.token, 'POST', '/api/users/', {
      credentials,
      profile: { company_id: companyId, user_type: type },
    })
    if (status !== 201) throw new Error(`a user was answered ${status}`)
    return this.signIn(credentials)
  }
}

/** A form of photos and a payload. */
export function photosForm(photos: Readonly<Record<string, Uint8Array>>, payload: object): FormData {
  const form = new FormData()
  for (const [name, bytes] of Object.entries(photos))
    form.append(name, new Blob([new Uint8Array(bytes)], { type: 'image/jpeg' }), `${name}.jpg`)
  form.append('payload', JSON.stringify(payload))
  return form
}
