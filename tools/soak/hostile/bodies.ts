/**
 * Large bodies by the dozen: sent but for their last byte, completed after a while, and the same in base64. The server must
 * hold no more than its bound, give it back, and answer others meanwhile.
 */
import net from 'node:net'
import { pause } from '../../../src/queue/timers.ts'
import { portrait } from '../../../test/fixtures/portraits.ts'
import { residentMegabytes } from '../resources.ts'
import type { Outcome, Scenario } from './scenario.ts'

interface BodiesOptions {
  /** Bodies at once. */
  count: number
  /** Of each, in MB of 2^20 bytes. */
  plainMegabytes: number
  base64Megabytes: number
  /** What the server may take beyond its rest. */
  growthMaxMegabytes: number
  /** What it may keep of that afterwards. */
  keptMaxMegabytes: number
}

const full: BodiesOptions = {
  count: 64,
  plainMegabytes: 24,
  base64Megabytes: 35,
  growthMaxMegabytes: 400,
  keptMaxMegabytes: 200,
}

const megabyte = 2 ** 20
const honestPauseMs = 250
const honestMaxMs = 30_000
const watchMs = 100
const heldMs = 3000
const warmUps = 4
const answerMaxMs = 120_000
const givenBackMaxMs = 30_000

/** Memory of what this process has started, in MB: the server and its workers. */
const serverMegabytes = async (): Promise<number> =>
  (await residentMegabytes(process.pid)) - process.memoryUsage.rss() / megabyte

/** A body that is sent up to its last byte, and then to its end. */
class Body {
  readonly #socket: net.Socket
  #answer = ''
  /** Status of the answer, 0 when the connection ended without one. */
  readonly status: Promise<number>

  constructor(base: URL, head: string) {
    this.#socket = net.connect(Number(base.port), base.hostname)
    this.status = new Promise((resolve) => {
      const end = () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(this.#answer)?.[1] ?? 0))
      this.#socket.on('data', (bytes) => {
        this.#answer += bytes.toString('latin1')
        if (this.#answer.includes('\r\n\r\n')) end()
      })
      this.#socket.on('error', end)
      this.#socket.on('close', end)
      setTimeout(end, answerMaxMs).unref()
    })
    this.#socket.write(head)
  }

  /** Stops where the server has answered or gone. */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#answer !== '' || this.#socket.destroyed) return
    if (this.#socket.write(bytes)) return
    await Promise.race([new Promise((resolve) => this.#socket.once('drain', resolve)), this.status])
  }

  close(): void {
    this.#socket.destroy()
  }
}

interface Sample {
  /** Method and headers, without the length. */
  head: string
  /** What the body begins with; it is filled up to its length. */
  start: Uint8Array
  filling: Uint8Array
  end: Uint8Array
  length: number
}

const textBytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** A photo with much behind its end, in a form. */
function plainSample(photo: Uint8Array, megabytes: number): Sample {
  const part = 'Content-Disposition: form-data; name="photo"; filename="a.jpg"\r\nContent-Type: image/jpeg'
  const payload = `--x\r\nContent-Disposition: form-data; name="payload"\r\n\r\n{"analyses": [{"type": "quality"}]}\r\n`
  return {
    head: 'POST /api/instant/folders/ HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=x',
    start: new Uint8Array([...textBytes(`${payload}--x\r\n${part}\r\n\r\n`), ...photo]),
    filling: new Uint8Array(megabyte),
    end: textBytes('\r\n--x--\r\n'),
    length: megabytes * megabyte - 4096,
  }
}

const base64Sample = (photo: Uint8Array, megabytes: number): Sample => ({
  head: 'POST /v1/face/liveness/detect HTTP/1.1\r\nContent-Type: image/jpeg\r\nContent-Transfer-Encoding: base64',
  start: textBytes(Buffer.from(photo.subarray(0, photo.length - (photo.length % 3))).toString('base64')),
  filling: new Uint8Array(megabyte).fill(0x41),
  end: textBytes('AAAA'),
  length: megabytes * megabyte,
})

async function sendButLast(body: Body, { start, filling, end, length }: Sample): Promise<void> {
  await body.write(start)
  for (let left = length - start.length - end.length; left > 0; left -= filling.length)
    await body.write(filling.subarray(0, Math.min(left, filling.length)))
  await body.write(end.subarray(0, -1))
}

/** @returns how often each status was answered, such as `7 × 200, 57 × 503` */
async function sendMany(base: URL, count: number, sample: Sample, withheldMs: number): Promise<string> {
  const bodies = Array.from(
    { length: count },
    () => new Body(base, `${sample.head}\r\nHost: a.test\r\nContent-Length: ${sample.length}\r\n\r\n`),
  )
  await Promise.all(bodies.map((body) => sendButLast(body, sample)))
  await pause(withheldMs)
  await Promise.all(bodies.map((body) => body.write(sample.end.subarray(-1))))
  const statuses = await Promise.all(bodies.map((body) => body.status))
  for (const body of bodies) body.close()
  return [...new Set(statuses)]
    .map((status) => `${statuses.filter((other) => other === status).length} × ${status}`)
    .join(', ')
}

/** @returns the status, 0 when the connection ended without one */
async function postPhoto(url: string, photo: Uint8Array): Promise<number> {
  try {
    const response = await fetch(`${url}/v1/face/liveness/detect`, {
      method: 'POST',
      body: new Uint8Array(photo),
      headers: { 'Content-Type': 'image/jpeg' },
    })
    await response.arrayBuffer()
    return response.status
  } catch {
    return 0
  }
}

/** An honest caller who sends a photo now and then, until told to stop. */
async function beHonest(url: string, photo: Uint8Array, isOver: () => boolean) {
  const waitsMs: number[] = []
  let refused = 0
  while (!isOver()) {
    const start = performance.now()
    const status = await postPhoto(url, photo)
    if (status === 200) waitsMs.push(performance.now() - start)
    else refused++
    await pause(honestPauseMs)
  }
  return { answered: waitsMs.length, refused, longestMs: Math.round(Math.max(0, ...waitsMs)) }
}

async function watch(isOver: () => boolean): Promise<number> {
  let most = 0
  while (!isOver()) {
    most = Math.max(most, await serverMegabytes())
    await pause(watchMs)
  }
  return most
}

async function settle(enoughMegabytes: number): Promise<number> {
  const endMs = performance.now() + givenBackMaxMs
  let now = await serverMegabytes()
  while (now > enoughMegabytes && performance.now() < endMs) {
    await pause(1000)
    now = await serverMegabytes()
  }
  return now
}

/** Bodies as large as any that are accepted, one at a time. */
export const largeBodiesAlone: Scenario = async (url, tools) => {
  const photo = await portrait('redhead')
  const samples = [plainSample(photo, full.plainMegabytes), base64Sample(photo, full.base64Megabytes)]
  const statuses: string[] = []
  const honest = await tools.whileHonest(async () => {
    for (let i = 0; i < warmUps; i++)
      for (const sample of samples) statuses.push(await sendMany(new URL(url), 1, sample, 0))
  })
  return {
    name: 'large bodies, one at a time',
    isHeld: honest.refused === 0 && statuses.filter((status) => status === '1 × 200').length === warmUps,
    isInTime: tools.isServedInTime(honest),
    facts: { honest, statuses },
  }
}

/** @param url a server that this process has started, with Instant open to everybody */
export async function hostileBodies(url: string, options: Partial<BodiesOptions> = {}): Promise<Outcome> {
  const { count, plainMegabytes, base64Megabytes, growthMaxMegabytes, keptMaxMegabytes } = {
    ...full,
    ...options,
  }
  const photo = await portrait('redhead')
  const plainBody = plainSample(photo, plainMegabytes)
  const base64Body = base64Sample(photo, base64Megabytes)
  // A server at rest has judged large media before, one at a time: decoders keep their memory for the next one.
  for (let i = 0; i < warmUps; i++)
    for (const sample of [plainBody, base64Body]) await sendMany(new URL(url), 1, sample, 0)
  let calls = 0
  await beHonest(url, photo, () => ++calls > 5)
  const restMegabytes = await serverMegabytes()
  let over = false
  const others = Promise.all([beHonest(url, photo, () => over), watch(() => over)])
  const plain = await sendMany(new URL(url), count, plainBody, heldMs)
  const base64 = await sendMany(new URL(url), count, base64Body, heldMs)
  over = true
  const [honest, mostMegabytes] = await others
  const keptMegabytes = (await settle(restMegabytes + keptMaxMegabytes)) - restMegabytes
  const grownMegabytes = mostMegabytes - restMegabytes
  return {
    name: 'many large bodies at once',
    isHeld:
      grownMegabytes <= growthMaxMegabytes &&
      keptMegabytes <= keptMaxMegabytes &&
      honest.refused === 0 &&
      honest.answered > 0,
    isInTime: honest.longestMs <= honestMaxMs,
    facts: {
      restMegabytes: Math.round(restMegabytes),
      grownMegabytes: Math.round(grownMegabytes),
      keptMegabytes: Math.round(keptMegabytes),
      plain,
      base64,
      honestAnswered: honest.answered,
      honestRefused: honest.refused,
      honestLongestMs: honest.longestMs,
    },
  }
}

/** As many as were found to take five gigabytes; a sample of it where time is short. */
export const largeBodies: Scenario = (url, { isSample }) => hostileBodies(url, isSample ? { count: 16 } : {})
