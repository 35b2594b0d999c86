/** A client of the server under test. */
import { inject } from 'vitest'
import { requireReasons } from '../fixtures/reasons.ts'

export const url = inject('url')

export interface FilePart {
  name: string
  bytes: Uint8Array
  filename?: string
  type?: string
}

/** A multipart form with files, a payload and other fields. */
export function form(
  files: readonly FilePart[],
  payload?: unknown,
  fields: Record<string, string> = {},
): FormData {
  const data = new FormData()
  for (const { name, bytes, filename = `${name}.jpg`, type = 'image/jpeg' } of files) {
    data.append(name, new Blob([new Uint8Array(bytes)], { type }), filename)
  }
  if (payload !== undefined)
    data.append('payload', typeof payload === 'string' ? payload : JSON.stringify(payload))
  for (const [name, value] of Object.entries(fields)) data.append(name, value)
  return data
}

export const file = (name: string, bytes: Uint8Array, change: Partial<FilePart> = {}): FilePart => ({
  name,
  bytes,
  ...change,
})

/** A template as it is sent. */
export const template = (name: string, bytes: Uint8Array, filename = `${name}.bin`): FilePart => ({
  name,
  bytes,
  filename,
  type: 'application/octet-stream',
})

export interface Answer {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of all shapes
  json: any
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text()
  let json: unknown = null
  try {
    json = JSON.parse(text)
  } catch {
    // Some answers are binary.
  }
  requireReasons(json)
  return { status: response.status, headers: response.headers, text, json }
}

/**
 * Lets the client notice connections that the server closed while a test computed. Without it, a call on one of them fails:
 * two turns of the loop include a whole poll for events of sockets.
 */
async function noticeClosedConnections(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve))
}

export async function send(path: string, init: RequestInit = {}, base = url): Promise<Answer> {
  await noticeClosedConnections()
  return answerOf(await fetch(`${base}${path}`, { redirect: 'error', ...init }))
}

export const postForm = (
  path: string,
  body: FormData,
  headers: Record<string, string> = {},
  base = url,
): Promise<Answer> => send(path, { method: 'POST', body, headers }, base)

export const postBytes = (
  path: string,
  body: Uint8Array,
  type: string,
  headers: Record<string, string> = {},
  base = url,
): Promise<Answer> =>
  send(
    path,
    { method: 'POST', body: new Uint8Array(body), headers: { 'Content-Type': type, ...headers } },
    base,
  )

/** A template fresh from extract. */
export async function extract(bytes: Uint8Array, type = 'image/jpeg'): Promise<Uint8Array> {
  const response = await fetch(`${url}/v1/face/pattern/extract`, {
    method: 'POST',
    body: new Uint8Array(bytes),
    headers: { 'Content-Type': type },
  })
  if (!response.ok) throw new Error(await response.text())
  return new Uint8Array(await response.arrayBuffer())
}
