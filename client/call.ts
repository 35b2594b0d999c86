/** A client and the one function that makes its calls. */
import type { Answers } from './answers.ts'
import { AuthenticationError, NetworkError, toApiError } from './errors.ts'
import type { Operations } from './operations.ts'
import { pause, pauseBefore, type RetryOptions } from './retry.ts'
import { exchange, type Fetch, type Incoming, type Progress } from './transport.ts'

export interface ClientOptions {
  /** Address of the server, such as `https://liveness.example`; in a browser the page's own origin by default. */
  url?: string
  /** Access token, or a function that gives one. Instant calls of an open server need none. */
  token?: string | null | (() => string | null | Promise<string | null>)
  /** Signs in with these before the first call, and again when the session has ended. Not for browsers. */
  credentials?: { email: string; password: string }
  /** Company of Instant calls that are counted for several (`X-Forensic-Company-Id`). */
  companyId?: string
  retry?: Partial<RetryOptions>
  /** Instead of the runtime's own `fetch`. */
  fetch?: Fetch
  /** Instead of the runtime's own `JSON`, which rounds whole numbers beyond 2^53. */
  json?: JsonForm
}

export interface JsonForm {
  parse(text: string): unknown
  stringify(value: unknown): string
}

/** Where calls go, and who makes them. */
export interface Client {
  readonly url: string
  readonly options: ClientOptions
  readonly retry: RetryOptions
  readonly fetch: Fetch
  readonly json: JsonForm
  /** The token of the session that the client has opened by itself. */
  session: Promise<string> | null
}

/** A file of React Native, which sends the file behind the address. */
export interface LocalFile {
  uri: string
  name: string
  type: string
}

/** A part of a form; `name` is the file name. */
export type MediaPart = Blob | LocalFile | { data: Blob; name: string }

/** A file by its key, to which tags, metadata and `source_media` refer; or several under one key. */
export type Media = { [key: string]: MediaPart | readonly MediaPart[] }

type QueryValue = string | number | boolean | null | undefined
/** Filters, sorting, paging. A list becomes `a,b`, a time may be a `Date`. */
export type Query = { [name: string]: QueryValue | Date | readonly QueryValue[] }

interface CallOptions {
  query?: Query
  headers?: Record<string, string>
  signal?: AbortSignal
  /** Called as the body is sent, where the runtime tells: in browsers. */
  onProgress?: (progress: Progress) => void
  /** Files of a form. */
  media?: Media
  /** A body of other bytes, such as a secure container, instead of a form or JSON. */
  bytes?: Blob | Uint8Array<ArrayBuffer>
}

/** The calls of the service: method and path. */
export type Operation = keyof Operations & keyof Answers

type Sent<O extends Operation> = Operations[O]
type PathOf<O extends Operation> = Sent<O> extends { path: infer P } ? { path: P } : { path?: undefined }
type BodyOf<O extends Operation> =
  Sent<O> extends { payload: infer P }
    ? { payload?: P; body?: undefined }
    : Sent<O> extends { body: infer B }
      ? unknown extends B
        ? { body?: object; payload?: undefined }
        : { body: B; payload?: undefined }
      : { body?: undefined; payload?: undefined }

export type CallParts<O extends Operation> = CallOptions & PathOf<O> & BodyOf<O>

/** Makes a client. It opens no connection. */
export function createClient(options: ClientOptions = {}): Client {
  const origin = typeof location === 'object' && location ? location.origin : undefined
  const url = (options.url ?? origin)?.replace(/\/+$/, '')
  if (url === undefined) throw new TypeError('name the address of the server: createClient({ url })')
  return {
    url,
    options,
    retry: { attempts: 3, pauseMaxMs: 10_000, ...options.retry },
    fetch: options.fetch ?? ((address, init) => fetch(address, init)),
    json: options.json ?? JSON,
    session: null,
  }
}

function fillPath(path: string, parts: Record<string, string> | undefined): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const part = parts?.[name]
    if (typeof part !== 'string' || part === '') throw new TypeError(`path needs "${name}"`)
    return encodeURIComponent(part)
  })
}

const queryText = (value: Query[string]): string =>
  value instanceof Date ? value.toISOString() : Array.isArray(value) ? value.join(',') : String(value)

function writeQuery(query: Query | undefined): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) search.append(name, queryText(value))
  }
  const text = search.toString()
  return text === '' ? '' : `?${text}`
}

/** Names of files for Blobs, which have none; the service tells formats by their bytes. */
const nameOf = (part: Blob, key: string): string => ('name' in part ? String(part.name) : key)

function appendPart(form: FormData, key: string, part: MediaPart): void {
  if ('data' in part) form.append(key, part.data, part.name)
  // React Native reads the file behind the address.
  else if ('uri' in part) form.append(key, part as unknown as Blob)
  else form.append(key, part, nameOf(part, key))
}

function writeForm(media: Media | undefined, payload: string | undefined): FormData {
  const form = new FormData()
  if (payload !== undefined) form.append('payload', payload)
  for (const [key, parts] of Object.entries(media ?? {})) {
    for (const part of Array.isArray(parts) ? (parts as readonly MediaPart[]) : [parts as MediaPart])
      appendPart(form, key, part)
  }
  return form
}

interface Body {
  body: BodyInit | null
  type: Record<string, string>
}

function writeBody(
  { media, bytes, payload, body }: CallOptions & { payload?: unknown; body?: unknown },
  json: JsonForm,
): Body {
  if (bytes) return { body: bytes, type: { 'Content-Type': 'application/octet-stream' } }
  if (media || payload !== undefined)
    return { body: writeForm(media, payload === undefined ? payload : json.stringify(payload)), type: {} }
  if (body === undefined) return { body: null, type: {} }
  return { body: json.stringify(body), type: { 'Content-Type': 'application/json' } }
}

const signInPath = '/api/authorize/auth'

async function openSession(client: Client): Promise<string> {
  const { email, password } = client.options.credentials!
  const { access_token } = await call(client, `POST ${signInPath}`, {
    body: { credentials: { email, password } },
  })
  return access_token
}

async function findToken(client: Client): Promise<string | null> {
  const { token, credentials } = client.options
  if (typeof token === 'function') return token()
  if (token != null || !credentials) return token ?? null
  client.session ??= openSession(client)
  client.session.catch(() => {
    client.session = null
  })
  return client.session
}

async function attempt(
  client: Client,
  method: string,
  path: string,
  options: CallOptions,
): Promise<Incoming> {
  const { body, type } = writeBody(options, client.json)
  const token = path === signInPath ? null : await findToken(client)
  const { companyId } = client.options
  const incoming = await exchange(client.fetch, {
    method,
    url: client.url + path + writeQuery(options.query),
    headers: {
      ...type,
      ...(token === null ? {} : { 'X-Forensic-Access-Token': token }),
      ...(companyId === undefined ? {} : { 'X-Forensic-Company-Id': companyId }),
      ...options.headers,
    },
    body,
    signal: options.signal,
    onProgress: options.onProgress,
  })
  if (incoming.status >= 400) throw toApiError(incoming.status, incoming.header, await incoming.text())
  return incoming
}

/** Repeats attempts that may be repeated, and once one whose session has ended. */
async function attemptAll(
  client: Client,
  method: string,
  path: string,
  options: CallOptions,
): Promise<Incoming> {
  let hasRenewed = false
  for (let number = 1; ; number++) {
    const session = client.session
    try {
      return await attempt(client, method, path, options)
    } catch (error) {
      if (error instanceof AuthenticationError && session && !hasRenewed && path !== signInPath) {
        hasRenewed = true
        if (client.session === session) client.session = null
        continue
      }
      const ms = pauseBefore(number, method, error, client.retry)
      if (ms === null) throw error
      await pause(ms, options.signal)
    }
  }
}

async function readAnswer(incoming: Incoming, json: JsonForm): Promise<unknown> {
  if (incoming.status === 204) return undefined
  if (!/\bjson\b/.test(incoming.header('Content-Type') ?? '')) return incoming.blob()
  const text = await incoming.text()
  try {
    return json.parse(text)
  } catch (cause) {
    throw new NetworkError('The answer is not JSON', { cause })
  }
}

/**
 * Makes a call. The types tell what each one needs and answers.
 * @throws {ApiError} if the server refuses it: a subclass by status
 * @throws {NetworkError} if no answer comes
 * @example
 * ```ts
 * const client = createClient({ url: 'https://liveness.example', token })
 * const folder = await call(client, 'GET /api/folders/{folder}', { path: { folder: id }, query: { with_analyses: true } })
 * ```
 */
export async function call<O extends Operation>(
  client: Client,
  operation: O,
  ...[parts]: Record<never, never> extends CallParts<O> ? [parts?: CallParts<O>] : [parts: CallParts<O>]
): Promise<Answers[O]> {
  const [method = '', path = ''] = operation.split(' ')
  const options: CallOptions & { path?: unknown } = parts ?? {}
  const filled = fillPath(path, options.path as Record<string, string> | undefined)
  return (await readAnswer(await attemptAll(client, method, filled, options), client.json)) as Answers[O]
}
