/** Bodies in pieces of any length give the same parts, and no body blocks others. */
import { describe, expect, it } from 'vitest'
import type { AppError } from '../../../src/errors.ts'
import { discardRest, type IncomingBody, readBody, readParts } from '../../../src/http/body.ts'
import { BodyMemoryBudget } from '../../../src/http/body-memory-budget.ts'
import type { PaceLimits } from '../../../src/http/body-pace.ts'
import { incoming } from '../../fixtures/incoming.ts'
import { turnsDuring } from '../../fixtures/loop-turns.ts'

const limits = { bytesMax: 2 ** 24, partsMax: 1000 }

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

interface Held {
  room?: BodyMemoryBudget
  pace?: PaceLimits
  headers?: Record<string, string>
}

const incomingOf = (body: BodyInit, { headers = {}, ...held }: Held = {}): IncomingBody =>
  incoming(new Request('http://a.test/', { method: 'POST', body, headers, duplex: 'half' } as never), held)

/** A form that arrives in pieces. */
function requestOf(body: Uint8Array, piece: number, boundary = 'x'): IncomingBody {
  let at = 0
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= body.length) return controller.close()
      controller.enqueue(body.subarray(at, at + piece))
      at += piece
    },
  })
  return incomingOf(stream, { headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` } })
}

const part = (name: string, text: string, boundary = 'x'): string =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`

const codeOf = (work: Promise<unknown>): Promise<string | null> =>
  work.then(
    () => null,
    (error: AppError) => `${error.code}: ${error.message}`,
  )

describe('a body', () => {
  it.each([1, 7, 16_384, 50_000, 3_000_000])(
    'that comes in pieces of %i bytes is the same',
    async (piece) => {
      const body = Uint8Array.from({ length: piece < 10 ? 40_000 : 2_500_000 }, (_, i) => (i * 31) & 255)
      expect(Buffer.from(await readBody(requestOf(body, piece), body.length)).equals(body)).toBe(true)
      expect(await codeOf(readBody(requestOf(body, piece), body.length - 1))).toMatch(/^body_too_large/)
    },
  )

  it.each([
    ['of a known length that is whole', { 'Content-Length': '3' }, null],
    ['of a known length that is not', { 'Content-Length': '4' }, /^structure_invalid/],
    ['of an unknown length', {}, /^structure_invalid/],
  ])('%s, whose sender has gone, is read or refused for what is missing', async (_, headers, refused) => {
    const leaving = new AbortController()
    const { signal } = leaving
    const request = new Request('http://a.test/', { method: 'POST', body: 'abc', headers, signal })
    leaving.abort()
    const code = await codeOf(readBody(incoming(request), 2 ** 24))
    refused === null ? expect(code).toBeNull() : expect(code).toMatch(refused)
  })

  it('a body in short and long pieces keeps their order', async () => {
    const lengths = [5, 20_000, 3, 16_384, 1, 16_383, 2, 70_000]
    const pieces = lengths.map((length, i) => new Uint8Array(length).fill(i))
    const body = new ReadableStream({
      start(controller) {
        for (const piece of pieces) controller.enqueue(piece)
        controller.close()
      },
    })
    expect(Buffer.concat(pieces).equals(await readBody(incomingOf(body), 2 ** 20))).toBe(true)
  })
})

describe('parts', () => {
  const long = 'b'.repeat(40_000)
  const form = bytesOf(`${part('a', 'hello')}${part('b', long)}${part('c', '')}--x--\r\nepilogue`)

  it.each([1, 2, 5, 16_384, 2 ** 20])(
    'in pieces of %i bytes are the same, the epilogue aside',
    async (piece) => {
      const parts = await readParts(requestOf(form, piece), limits)
      const texts = parts.map(({ name, bytes }) => [name, new TextDecoder().decode(bytes)])
      expect(texts).toEqual([
        ['a', 'hello'],
        ['b', long],
        ['c', ''],
      ])
    },
  )

  it('an empty body has no parts', async () => {
    expect(await readParts(requestOf(new Uint8Array(), 1), limits)).toEqual([])
  })

  it('refuses parts that do not end', async () => {
    expect(await codeOf(readParts(requestOf(form.subarray(0, 20_000), 5000), limits))).toMatch(
      /^structure_invalid/,
    )
  })

  it('refuses a boundary of more than 70 characters before it searches the body', async () => {
    const ofLength = (length: number) => {
      const boundary = 'a'.repeat(length)
      return requestOf(bytesOf(`${part('a', 'hello', boundary)}--${boundary}--\r\n`), 1000, boundary)
    }
    expect(await readParts(ofLength(70), limits)).toHaveLength(1)
    for (const length of [71, 252, 7000])
      expect(await codeOf(readParts(ofLength(length), limits))).toMatch(
        /^structure_invalid: .* longer than 70 characters$/,
      )
  })

  it('refuses parts with long headers', async () => {
    const body = bytesOf(`${part('a'.repeat(5000), 'hello')}--x--\r\n`)
    expect(await codeOf(readParts(requestOf(body, 10_000), limits))).toMatch(/^structure_invalid/)
  })

  it('parts have names as in RFC 7578 and 8187, which are not logged', async () => {
    const warnings: unknown[] = []
    const { warn } = console
    console.warn = (...said: unknown[]) => void warnings.push(said)
    const names = [
      ['form-data; name="a b"; filename="c;\\"d\\".jpg"', 'a b', 'c;"d".jpg'],
      ['form-data; name=a; filename=b.jpg', 'a', 'b.jpg'],
      ["form-data; name=a; filename=b.jpg; filename*=UTF-8''%C3%BC.jpg", 'a', 'ü.jpg'],
      ["form-data; name=a; filename=b.jpg; filename*=secret-words''%FC.jpg", 'a', 'b.jpg'],
      ["form-data; name=a; filename*=secret-words''%FC.jpg", 'a', null],
      ['form-data; filename=b.jpg; NAME="a"', 'a', 'b.jpg'],
      ['form-data; name=""', '', null],
    ] as const
    try {
      for (const [disposition, name, filename] of names) {
        const body = bytesOf(`--x\r\nContent-Disposition: ${disposition}\r\n\r\nhello\r\n--x--`)
        const [only] = await readParts(requestOf(body, 1000), limits)
        expect([only?.name, only?.filename]).toEqual([name, filename])
      }
    } finally {
      console.warn = warn
    }
    expect(warnings).toEqual([])
  })

  it.each([
    ['a boundary that goes on', '--x\r\nContent-Disposition: form-data; name=a\r\n\r\nhello\r\n--xy--'],
    ['no headers', '--x\r\nhello\r\n--x--'],
    ['no name', '--x\r\nContent-Disposition: form-data\r\n\r\nhello\r\n--x--'],
    ['a boundary alone', '--x'],
    ['no last boundary', '--x\r\nContent-Disposition: form-data; name=a\r\n\r\nhello\r\n--x'],
  ])('refuses parts with %s', async (_, text) => {
    expect(await codeOf(readParts(requestOf(bytesOf(text), 1000), limits))).toMatch(/^structure_invalid/)
  })

  it('refuses part headers that are not UTF-8', async () => {
    const body = Uint8Array.of(...bytesOf('--x\r\nContent-Disposition: form-data; name="'), 0xff)
    const whole = Uint8Array.of(...body, ...bytesOf('"\r\n\r\nhello\r\n--x--'))
    expect(await codeOf(readParts(requestOf(whole, 1000), limits))).toMatch(/^structure_invalid/)
  })

  it('refuses parts over the limits', async () => {
    expect(await codeOf(readParts(requestOf(form, 5000), { ...limits, partsMax: 2 }))).toMatch(/^value_inv/)
    expect(await codeOf(readParts(requestOf(form, 5000), { ...limits, bytesMax: 40_000 }))).toMatch(
      /^body_too_large/,
    )
  })

  it('parts are views into the memory of their body', async () => {
    const [first, second] = await readParts(requestOf(form, 5000), limits)
    expect(first?.bytes.buffer).toBe(second?.bytes.buffer)
  })

  it('parsing many parts or a long one yields to the event loop', async () => {
    const turnsFor = (body: Uint8Array) =>
      turnsDuring(() => readParts(requestOf(body, body.length), { ...limits, bytesMax: body.length }))
    expect(await turnsFor(bytesOf(`${part('a', '').repeat(60)}--x--\r\n`))).toBeGreaterThan(3)
    expect(await turnsFor(bytesOf(`${part('a', 'b'.repeat(2 ** 24))}--x--\r\n`))).toBeGreaterThan(3)
  })
})

const megabyte = 2 ** 20
const announced = (bytes: number) => ({ 'Content-Length': String(bytes) })

describe('memory for bodies', () => {
  it('refuses a body of more than half of the free memory before it is read', async () => {
    const room = new BodyMemoryBudget(8 * megabyte)
    let read = false
    const body = new ReadableStream(
      {
        pull(controller) {
          read = true
          controller.close()
        },
      },
      { highWaterMark: 0 },
    )
    const big = incomingOf(body, { room, headers: announced(5 * megabyte) })
    expect(await codeOf(readBody(big, 2 ** 24))).toMatch(/^overloaded/)
    expect(read).toBe(false)
    expect(room.taken).toBe(0)
  })

  it('leaves memory for small bodies and other callers when one caller sends as much as possible', async () => {
    const room = new BodyMemoryBudget(64 * megabyte)
    const claims = Array.from({ length: 100 }, () => room.claim(() => 'greedy'))
    const admitted = claims.filter((claim) => {
      try {
        claim.growTo(6 * megabyte)
        return true
      } catch {
        return false
      }
    })
    expect(admitted).toHaveLength(7)
    room.claim(() => 'greedy').growTo(2 * megabyte)
    room.claim(() => 'honest').growTo(8 * megabyte)
    for (const claim of admitted) claim.release()
    expect(room.taken).toBe(10 * megabyte)
  })

  it.each(['3, 3', 'abc', '-1', '1e3', '0x10', '1.5', ''])(
    'a length of "%s" is refused before anything is read',
    async (length) => {
      const room = new BodyMemoryBudget(8 * megabyte)
      const odd = incomingOf('abc', { room, headers: { 'Content-Length': length } })
      expect(await codeOf(readBody(odd, 2 ** 24))).toMatch(/^structure_invalid: .*Content-Length/)
      expect(odd.request.bodyUsed).toBe(false)
      expect(room.taken).toBe(0)
    },
  )

  it('refuses to hold a number of bytes that is none, so that the limit stays', () => {
    const room = new BodyMemoryBudget(8 * megabyte)
    expect(() => room.claim(() => 'a').growTo(Number.NaN)).toThrow()
    expect(room.taken).toBe(0)
    expect(() => room.claim(() => 'a').growTo(2 ** 30)).toThrow(/being received/)
  })

  it('a body without Content-Length claims memory as it arrives, and releases it once', async () => {
    const room = new BodyMemoryBudget(2 * megabyte)
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(100_000)),
    })
    const body = incomingOf(endless, { room })
    expect(await codeOf(readBody(body, 2 ** 24))).toMatch(/^overloaded/)
    expect(room.taken).toBe(700_000)
    body.claim.release()
    body.claim.release()
    expect(room.taken).toBe(0)
  })
})

describe('a coded body', () => {
  it.each([
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'x-gzip'],
    ['identity, br', 'br'],
    ['secret-words', 'another one'],
  ])('of the encoding "%s" is refused before it is read, for %s', async (encoding, named) => {
    const coded = incomingOf('abc', { headers: { 'Content-Encoding': encoding } })
    const code = await codeOf(readBody(coded, 2 ** 24))
    expect(code).toBe(
      `content_type_invalid: The body is compressed (Content-Encoding: ${named}); send it as it is`,
    )
    expect(coded.request.bodyUsed).toBe(false)
  })

  it.each(['identity', 'Identity, identity', ''])('that is not coded, "%s", is read', async (encoding) => {
    const plain = incomingOf('abc', { headers: { 'Content-Encoding': encoding } })
    expect(await readBody(plain, 2 ** 24)).toHaveLength(3)
  })
})

describe('the rest of a refused body', () => {
  it('is dropped without an error if its sender has gone', async () => {
    const left = incomingOf('abc')
    // As the Node server does once the connection has closed.
    Object.defineProperty(left.request, 'body', {
      get() {
        throw new TypeError('Response body object should not be disturbed or locked')
      },
    })
    await expect(discardRest(left, 100)).resolves.toBeUndefined()
  })

  it('is read to its end', async () => {
    const refused = incomingOf('abc')
    await discardRest(refused, 100)
    expect(refused.request.bodyUsed).toBe(true)
  })
})

describe('the pace of a body', () => {
  const quick: PaceLimits = { bytesPerSecondMin: 10_000, pauseMaxMs: 200, timeMaxMs: 2000 }

  /** Pieces of one length with pauses between them, endless or finite. */
  const dripping = (bytes: number, everyMs: number, pieces = Number.POSITIVE_INFINITY) => {
    let sent = 0
    return new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (sent >= pieces) return controller.close()
        await new Promise((resolve) => setTimeout(resolve, everyMs))
        if (sent++ < pieces) controller.enqueue(new Uint8Array(bytes))
      },
    })
  }

  const timed = async (body: BodyInit) => {
    const start = performance.now()
    const code = await codeOf(readBody(incomingOf(body, { pace: quick }), 2 ** 24))
    return { code, ms: performance.now() - start }
  }

  it('a slow mobile connection with pauses is accepted', async () => {
    expect(await timed(dripping(3000, 100, 8))).toMatchObject({ code: null })
  })

  it('a withheld last byte is awaited no longer than the longest pause', async () => {
    const withheld = new ReadableStream({
      start: (controller) => controller.enqueue(new Uint8Array(megabyte)),
    })
    const { code, ms } = await timed(withheld)
    expect(code).toMatch(/^body_too_slow/)
    expect(ms).toBeLessThan(1000)
  })

  it('a sender of single bytes is cut off soon', async () => {
    const { code, ms } = await timed(dripping(1, 20))
    expect(code).toMatch(/^body_too_slow/)
    expect(ms).toBeLessThan(1000)
  })

  it('a body is cut off after the longest time', async () => {
    const { code, ms } = await timed(dripping(5000, 50))
    expect(code).toMatch(/^body_too_slow/)
    expect(ms).toBeGreaterThan(1500)
  })
})
