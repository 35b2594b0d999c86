/**
 * Sends bytes as old clients do. The platform's `fetch` tidies requests (an empty query disappears, forms are written its
 * own way), so that these are written by hand.
 */
import { type IncomingMessage, request } from 'node:http'
import { inject } from 'vitest'

export interface Answer {
  status: number
  headers: IncomingMessage['headers']
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of all shapes
  json: any
}

export interface Sent {
  headers?: Record<string, string>
  body?: string | Uint8Array
}

async function answerOf(message: IncomingMessage): Promise<Answer> {
  const text = Buffer.concat(await message.toArray()).toString('utf8')
  let json: unknown = null
  try {
    json = JSON.parse(text)
  } catch {
    // Some answers have no body.
  }
  return { status: message.statusCode ?? 0, headers: message.headers, text, json }
}

/** Milliseconds that clients wait for `100 Continue`. */
const goOnMaxMs = 1000

/**
 * Sends one request with the path unchanged. With `Expect: 100-continue` the body waits for the server, as in curl.
 */
export function exchange(method: string, path: string, { headers = {}, body }: Sent = {}): Promise<Answer> {
  const { hostname, port } = new URL(inject('url'))
  const bytes = body === undefined ? new Uint8Array() : Buffer.from(body)
  const isMeasured = body !== undefined && headers['Transfer-Encoding'] === undefined
  const length = isMeasured ? { 'Content-Length': String(bytes.length) } : {}
  return new Promise((resolve, reject) => {
    const options = { host: hostname, port, method, path, headers: { ...headers, ...length }, agent: false }
    const asked = request(options, (message) => resolve(answerOf(message)))
    asked.once('error', reject)
    if (headers.Expect === undefined) {
      asked.end(bytes)
      return
    }
    const sendBody = () => {
      clearTimeout(timer)
      if (!asked.writableEnded) asked.end(bytes)
    }
    const timer = setTimeout(sendBody, goOnMaxMs)
    asked.once('continue', sendBody)
    asked.flushHeaders()
  })
}

/** A part of a form: its header lines and its content. */
export interface FormPart {
  lines: readonly string[]
  content: string | Uint8Array
}

export const fieldPart = (name: string, content: string, ...lines: string[]): FormPart => ({
  lines: [`Content-Disposition: form-data; name="${name}"`, ...lines],
  content,
})

export const filePart = (
  name: string,
  filename: string,
  content: Uint8Array,
  type = 'image/jpeg',
): FormPart => ({
  lines: [`Content-Disposition: form-data; name="${name}"; filename="${filename}"`, `Content-Type: ${type}`],
  content,
})

/** A form with its type, ready to be sent. */
export function formOf(parts: readonly FormPart[], boundary: string): Required<Sent> {
  const pieces = parts.flatMap(({ lines, content }) => [
    Buffer.from(`--${boundary}\r\n${lines.join('\r\n')}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ])
  return {
    headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]),
  }
}

/** The path of a link: a server on a free port does not know its public address. */
export const pathOf = (link: string): string => new URL(link).pathname
