/** Bodies in pieces of any length: the same parts come out, and no body holds up the others. */
import { describe, expect, it } from 'vitest'
import type { AppError } from '../../../src/errors.ts'
import { readBody, readParts } from '../../../src/http/body.ts'

const limits = { bytesMax: 2 ** 24, partsMax: 1000 }

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

/** A request whose body arrives in pieces. */
function requestOf(body: Uint8Array, piece: number, boundary = 'x'): Request {
  let at = 0
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= body.length) return controller.close()
      controller.enqueue(body.subarray(at, at + piece))
      at += piece
    },
  })
  const headers = { 'Content-Type': `multipart/form-data; boundary=${boundary}` }
  return new Request('http://a.test/', { method: 'POST', body: stream, headers, duplex: 'half' } as never)
}

const part = (name: string, text: string, boundary = 'x'): string =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`

const codeOf = (work: Promise<unknown>): Promise<string | null> =>
  work.then(
    () => null,
    (error: AppError) => `${error.code}: ${error.message}`,
  )

async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  const timer = setInterval(() => {
    turns++
  }, 0)
  await work()
  clearInterval(timer)
  return turns
}

describe('a body', () => {
  it.each([1, 7, 16_384, 50_000, 3_000_000])(
    'that comes in pieces of %i bytes is the same',
    async (piece) => {
      const body = Uint8Array.from({ length: piece < 10 ? 40_000 : 2_500_000 }, (_, i) => (i * 31) & 255)
      expect(Buffer.from(await readBody(requestOf(body, piece), body.length)).equals(body)).toBe(true)
      expect(await codeOf(readBody(requestOf(body, piece), body.length - 1))).toMatch(/^body_too_large/)
    },
  )

  it('that comes in short and long pieces in turn keeps their order', async () => {
    const lengths = [5, 20_000, 3, 16_384, 1, 16_383, 2, 70_000]
    const pieces = lengths.map((length, i) => new Uint8Array(length).fill(i))
    const body = new ReadableStream({
      start(controller) {
        for (const piece of pieces) controller.enqueue(piece)
        controller.close()
      },
    })
    const request = new Request('http://a.test/', { method: 'POST', body, duplex: 'half' } as never)
    expect(Buffer.concat(pieces).equals(await readBody(request, 2 ** 20))).toBe(true)
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

  it('of no body are none', async () => {
    expect(await readParts(requestOf(new Uint8Array(), 1), limits)).toEqual([])
  })

  it('that do not end are refused', async () => {
    expect(await codeOf(readParts(requestOf(form.subarray(0, 20_000), 5000), limits))).toMatch(
      /^structure_invalid/,
    )
  })

  it('with a boundary of more than 70 characters are refused, whatever it would cost to look for it', async () => {
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

  it('with long headers are refused', async () => {
    const body = bytesOf(`${part('a'.repeat(5000), 'hello')}--x--\r\n`)
    expect(await codeOf(readParts(requestOf(body, 10_000), limits))).toMatch(/^structure_invalid/)
  })

  it('let others take their turn, in many parts and in a long one', async () => {
    const many = bytesOf(`${part(`a"${'; b'.repeat(1200)}; c="`, '').repeat(900)}--x--\r\n`)
    expect(await turnsDuring(() => readParts(requestOf(many, many.length), limits))).toBeGreaterThan(3)
  })
})
