/**
 * The client between globals of the shape that React Native gives: no streams, no `DOMException`, no text coders, blobs that cannot be
 * read, signals without a reason, and forms of parts with an address. It is not the framework itself.
 */
import path from 'node:path'
import vm from 'node:vm'
import { build } from 'esbuild'
import { beforeAll, describe, expect, it } from 'vitest'

type Part = [name: string, value: unknown]

class FormParts {
  readonly parts: Part[] = []
  append(name: string, value: unknown): void {
    // What is no file is sent as text.
    this.parts.push([name, typeof value === 'object' ? value : String(value)])
  }
}

interface Sent {
  method: string
  body?: FormParts | string
  signal?: Signal
  headers: Record<string, string>
}

type Signal = { aborted: boolean; addEventListener(name: string, listen: () => void): void }

class Controller {
  readonly #listeners: (() => void)[] = []
  readonly signal = {
    aborted: false,
    addEventListener: (_: string, listen: () => void) => void this.#listeners.push(listen),
    removeEventListener: () => {},
  }
  abort(): void {
    this.signal.aborted = true
    for (const listen of this.#listeners) listen()
  }
}

class UnreadableBlob {}

class OtherRequest {
  constructor() {
    throw new Error('its answers cannot be read')
  }
}

const answers: Record<string, [status: number, body: object]> = {
  'POST /api/folders': [201, { folder_id: 'f', resolution_status: 'PROCESSING' }],
  'GET /api/folders/f?with_analyses=true': [200, { folder_id: 'f', resolution_status: 'FINISHED' }],
  'GET /api/folders/g': [404, { error_code: 10, error_message: 'no folder' }],
}

/** What the program gets, and what it sent. */
async function runProgram(
  client: string,
  program: string,
): Promise<{ result: unknown; sent: [string, Sent][] }> {
  const sent: [string, Sent][] = []
  const fetch = (url: string, init: Sent) =>
    new Promise((resolve, reject) => {
      sent.push([url, init])
      const found = answers[`${init.method} ${url.replace('https://liveness.example', '')}`]
      // An address without an answer is one that hangs.
      init.signal?.addEventListener('abort', () => reject(new Error('Aborted')))
      if (!found) return
      const [status, body] = found
      const text = JSON.stringify(body)
      const header = (name: string) => (name.toLowerCase() === 'content-type' ? 'application/json' : null)
      resolve({ status, ok: status < 400, headers: { get: header }, text: async () => text, body: undefined })
    })
  const globals = {
    fetch,
    FormData: FormParts,
    AbortController: Controller,
    Blob: UnreadableBlob,
    XMLHttpRequest: OtherRequest,
    URLSearchParams,
    setTimeout,
    clearTimeout,
  }
  const result = await vm.runInNewContext(`${client};(async () => { ${program} })()`, globals)
  return { result, sent }
}

describe('the client between globals of the shape of React Native', () => {
  let client: string

  beforeAll(async () => {
    const { outputFiles } = await build({
      entryPoints: [path.resolve(import.meta.dirname, '../../../client/index.ts')],
      bundle: true,
      format: 'iife',
      globalName: 'vivace',
      target: 'es2022',
      write: false,
    })
    client = outputFiles[0]!.text
  })

  it('sends files by their address, and reads answers without a stream', async () => {
    const { result, sent } = await runProgram(
      client,
      `const { createClient, call, waitForFolder } = vivace
      const client = createClient({ url: 'https://liveness.example', token: 't' })
      const { folder_id } = await call(client, 'POST /api/folders', {
        payload: { 'media:tags': { selfie: ['photo_selfie'] } },
        media: { selfie: { uri: 'file:///selfie.jpg', name: 'selfie.jpg', type: 'image/jpeg' } },
        onProgress: () => {},
      })
      return (await waitForFolder(client, folder_id)).resolution_status`,
    )
    expect(result).toBe('FINISHED')
    const [, { body, headers }] = sent[0]!
    expect((body as FormParts).parts).toEqual([
      ['payload', '{"media:tags":{"selfie":["photo_selfie"]}}'],
      ['selfie', { uri: 'file:///selfie.jpg', name: 'selfie.jpg', type: 'image/jpeg' }],
    ])
    // The boundary is that of the framework.
    expect(headers).toEqual({ 'X-Forensic-Access-Token': 't' })
  })

  it('tells refusals and calls that are ended', async () => {
    const { result } = await runProgram(
      client,
      `const { createClient, call, NotFoundError } = vivace
      const client = createClient({ url: 'https://liveness.example' })
      const refusal = await call(client, 'GET /api/folders/{folder}', { path: { folder: 'g' } }).catch((error) => error)
      const ending = new AbortController()
      const hanging = call(client, 'GET /api/version', { signal: ending.signal }).catch((error) => error)
      // The call begins after the token is known.
      await new Promise((resolve) => setTimeout(resolve, 0))
      ending.abort()
      return [refusal instanceof NotFoundError, refusal.message, (await hanging).name]`,
    )
    expect(JSON.parse(JSON.stringify(result))).toEqual([true, 'no folder', 'AbortError'])
  })
})
