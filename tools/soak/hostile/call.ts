/** HTTP requests of attackers: from their own address, with any bodies. */
import { setMaxListeners } from 'node:events'
import http from 'node:http'

interface Call {
  method?: string
  path: string
  headers?: Readonly<Record<string, string>>
  body?: Uint8Array
  /** Address of this machine that the call comes from, such as 127.0.0.9. */
  from?: string
  /** Ends the connection. */
  signal?: AbortSignal
}

interface Answered {
  /** 0 when the connection ended without an answer. */
  status: number
  text: string
  ms: number
}

const answerMaxMs = 90_000

/** Never rejects. */
export function call(
  url: string,
  { method = 'POST', path, headers = {}, body, from, signal }: Call,
): Promise<Answered> {
  const begunMs = performance.now()
  return new Promise((resolve) => {
    const end = (status: number, text: string) => resolve({ status, text, ms: performance.now() - begunMs })
    const request = http.request(
      new URL(path, url),
      {
        method,
        headers: { ...headers, 'Content-Length': String(body?.length ?? 0) },
        agent: false,
        timeout: answerMaxMs,
        ...(from === undefined ? {} : { localAddress: from }),
        ...(signal ? { signal } : {}),
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => end(response.statusCode ?? 0, Buffer.concat(chunks).toString()))
        response.on('error', () => end(0, ''))
      },
    )
    request.on('timeout', () => request.destroy())
    request.on('error', () => end(0, ''))
    request.end(body)
  })
}

const boundary = 'the-end-of-a-part'

/** A form of media and a payload: its bytes and headers. */
export function form(
  media: Readonly<Record<string, Uint8Array>>,
  payload: string,
): Required<Pick<Call, 'body' | 'headers'>> {
  const head = (name: string, file: string) =>
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`)
  const parts = Object.entries(media).flatMap(([name, bytes]) => [
    head(name, `; filename="${name}.bin"\r\nContent-Type: application/octet-stream`),
    bytes,
    Buffer.from('\r\n'),
  ])
  const end = Buffer.from(`\r\n--${boundary}--\r\n`)
  return {
    body: new Uint8Array(Buffer.concat([...parts, head('payload', ''), Buffer.from(payload), end])),
    headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
  }
}

export const json = (value: unknown): Required<Pick<Call, 'body' | 'headers'>> => ({
  body: new TextEncoder().encode(JSON.stringify(value)),
  headers: { 'Content-Type': 'application/json' },
})

/** An address of this machine for each number. */
export const addressOf = (number: number): string => `127.0.${1 + (number >> 8)}.${number & 255}`

/**
 * Callers who send the next as soon as they have an answer, until it is over; then they leave.
 * @returns how often each status was answered
 */
export async function greedy(
  count: number,
  seconds: number,
  send: (caller: number, round: number, signal: AbortSignal) => Promise<Answered>,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  const signal = AbortSignal.timeout(seconds * 1000)
  // One listener for each connection.
  setMaxListeners(0, signal)
  const caller = async (number: number): Promise<void> => {
    for (let round = 0; !signal.aborted; round++) {
      const { status } = await send(number, round, signal)
      if (signal.aborted) return
      counts[status] = (counts[status] ?? 0) + 1
      // Who is refused comes again a little later, or would do nothing but fill the log.
      if (status !== 200) await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  await Promise.all(Array.from({ length: count }, (_, number) => caller(number)))
  return counts
}

/** Greedy callers who send forms to Instant, each the next of its own. */
export const greedyForms = (
  url: string,
  { count, seconds }: { count: number; seconds: number },
  makeForm: (caller: number, round: number) => ReturnType<typeof form>,
): Promise<Record<string, number>> =>
  greedy(count, seconds, (caller, round, signal) =>
    call(url, {
      path: '/api/instant/folders/',
      from: addressOf(caller),
      signal,
      ...makeForm(caller, round),
    }),
  )

/** Whether something was answered, and nothing else than some statuses; 0 is a connection that broke. */
export const areOnly = (counts: Readonly<Record<string, number>>, ...statuses: number[]): boolean =>
  Object.keys(counts).length > 0 && Object.keys(counts).every((status) => statuses.includes(Number(status)))
