/** Forms as RFC 2046 and 7578 have them, from clients of all kinds. */
import { describe, expect, it } from 'vitest'
import type { AppError } from '../../../src/errors.ts'
import { parseMultipart, readBoundary } from '../../../src/http/multipart.ts'
import { turnsDuring } from '../../fixtures/loop-turns.ts'
import { hasTestData, testData } from '../../fixtures/test-data.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const type = 'multipart/form-data; boundary='
const disposition = 'Content-Disposition: form-data; name='

/** The parts as names and texts, or the refusal. */
async function read(body: string | Uint8Array, contentType = `${type}x`): Promise<unknown> {
  try {
    const bytes = typeof body === 'string' ? bytesOf(body) : body
    const parts = await parseMultipart(bytes, readBoundary(contentType), 10)
    return parts.map(({ name, bytes }) => [name, new TextDecoder().decode(bytes)])
  } catch (error) {
    const { code, message } = error as AppError
    return `${code}: ${message.replace('Could not parse body as multipart/form-data: ', '')}`
  }
}

const one = `--x\r\n${disposition}"a"\r\n\r\nhello\r\n--x--\r\n`

describe('a form', () => {
  it.each([
    ['with a line break before it', `\r\n${one}`],
    ['with a preamble', `This is a form.\r\nRead it.\r\n${one}`],
    ['with a preamble that almost has the boundary', `--\r\n-x\r\n --x\r\n${one}`],
    ['with an epilogue', `${one}--x\r\nmore`],
    ['with blanks behind its boundaries', one.replaceAll(/(--x(?:--)?)\r\n/g, '$1 \t \r\n')],
    ['that ends with its last boundary', one.slice(0, -2)],
    ['with other cases in its headers', one.replace(/.*name/, 'CONTENT-disposition: Form-Data; NAME')],
    ['with folded headers', one.replace('; name', ';\r\n\t name')],
    ['with blanks around a colon', one.replace('Disposition: ', 'Disposition :\t')],
    ['with a plain name', one.replace('"a"', 'a')],
    ['with an extended name', one.replace('name="a"', "name*=utf-8''%61")],
    ['with headers that it does not need', one.replace('"a"', '"a"\r\nContent-Length: 5\r\nX-Other: b')],
  ])('%s is read', async (_, body) => {
    expect(await read(body)).toEqual([['a', 'hello']])
  })

  it('keeps the line breaks of its content', async () => {
    const text = '\r\n\n--\r\n--y\r\n'
    expect(await read(one.replace('hello', text))).toEqual([['a', text]])
  })

  it.each([
    ['no bytes', `--x\r\n${disposition}a\r\n\r\n\r\n`],
    // The line break of the boundary is the blank line.
    ['not even a blank line of its own', `--x\r\n${disposition}a\r\n\r\n`],
  ])('may have a part with %s', async (_, part) => {
    expect(await read(`${part}${one}`)).toEqual([
      ['a', ''],
      ['a', 'hello'],
    ])
  })

  it.each(['--x--', '--x--\r\n', '\r\n--x--', 'nothing\r\n--x-- \r\n'])(
    'may have no parts: %j',
    async (body) => {
      expect(await read(body)).toEqual([])
    },
  )

  it.each([
    ['x', 'x'],
    ['"x"', 'x'],
    ['"a\\"b"', 'a"b'],
    ['"a: b"', 'a: b'],
    ['x; charset=utf-8', 'x'],
    [' "x" ; charset=utf-8', 'x'],
    ["'x'", "'x'"],
    ['x ', 'x'],
  ])('finds the boundary that is given as %s', async (given, boundary) => {
    expect(await read(one.replaceAll('--x', `--${boundary}`), `${type}${given}`)).toEqual([['a', 'hello']])
  })

  it('finds the boundary beside parameters of similar names', async () => {
    const given = 'Multipart/Form-Data; x-boundary=y; BOUNDARY=x; boundaries=z'
    expect(await read(one, given)).toEqual([['a', 'hello']])
  })

  it('keeps the file names of Windows', async () => {
    const body = one.replace('"a"', '"a"; filename="C:\\photos\\\\n\\"1\\".jpg"')
    const [part] = await parseMultipart(bytesOf(body), 'x', 10)
    expect(part?.filename).toBe('C:\\photos\\n"1".jpg')
  })

  it.skipIf(!hasTestData).each(['multipart-leading-crlf.body', 'multipart-preamble.body'])(
    'of a real client is read: %s',
    async (file) => {
      const body = await testData('reports', file)
      const [, boundary = ''] = /^--(\S+)\r\n/m.exec(new TextDecoder('latin1').decode(body)) ?? []
      expect((await parseMultipart(body, boundary, 10)).map(({ name }) => name)).toContain('payload')
    },
  )
})

describe('a refused form', () => {
  it.each([
    ['no boundary in its type', one, 'multipart/form-data', /no boundary: let your HTTP library write it/],
    ['another boundary', one, `${type}y`, /no line begins with the boundary/],
    [
      'a boundary in single quotes',
      one,
      `${type}'x'`,
      /boundary .*, whose single quotes count as part of it/,
    ],
    ['a name in single quotes', one.replace('"a"', "'a'"), `${type}x`, /name of a part is in single quotes/],
    ['text alone', 'hello', `${type}x`, /no line begins with the boundary/],
    ['line ends of LF', one.replaceAll('\r', ''), `${type}x`, /CR LF/],
    ['line ends of LF and a preamble', `form\n${one.replaceAll('\r', '')}`, `${type}x`, /CR LF/],
    ['more behind a boundary', one.replace('x\r\n', 'xy\r\n'), `${type}x`, /nothing may follow the boundary/],
    ['no blank line', `--x\r\n${disposition}a\r\n--x\r\n${one}`, `${type}x`, /no blank line/],
    ['no last boundary', one.slice(0, -6), `${type}x`, /last boundary is missing/],
    ['a boundary at the end', '--x', `${type}x`, /last boundary is missing/],
    ['a part without a name', one.replace('; name="a"', ''), `${type}x`, /no name/],
    ['a part without headers', '--x\r\n\r\nhello\r\n--x--', `${type}x`, /no name/],
    ['blanks without end', `--x${' '.repeat(5000)}\r\n${one.slice(5)}`, `${type}x`, /nothing may follow/],
  ])('with %s says why', async (_, body, contentType, text) => {
    expect(await read(body, contentType)).toMatch(text)
    expect(await read(body, contentType)).toMatch(/^structure_invalid: /)
  })
})

describe('a long form', () => {
  const length = 8 * 2 ** 20
  const boundary = 'b'.repeat(70)
  const filled = (unit: string, end: string): Uint8Array => {
    const [some, last] = [bytesOf(unit), bytesOf(end)]
    const body = new Uint8Array(length)
    for (let at = 0; at + some.length <= length; at += some.length) body.set(some, at)
    body.set(last, length - last.length)
    return body
  }
  const end = `\r\n--${boundary}\r\n${disposition}a\r\n\r\nhello\r\n--${boundary}--\r\n`

  it.each([
    ['zeros', '\0'],
    ['line breaks', '\r'],
    ['empty lines', '\r\n'],
    ['lines that are almost the boundary', `\r\n--${boundary.slice(1)}c`],
    ['boundaries of LF', `\n--${boundary}`],
    ['blank lines and hyphens', '\r\n\r\n--'],
  ])('of a preamble of %s is read in linear time, in turns', async (_, unit) => {
    const begunMs = Date.now()
    const turns = await turnsDuring(async () => {
      expect(await parseMultipart(filled(unit, end), boundary, 10)).toHaveLength(1)
    })
    expect(turns).toBeGreaterThan(3)
    // Quadratic time would take hours.
    expect(Date.now() - begunMs).toBeLessThan(10_000)
  })

  it('of a million parts is refused for their number', async () => {
    const part = `--x\r\n${disposition}a\r\n\r\n\r\n`
    expect(await read(filled(part, '--x--'))).toBe('value_invalid: More than 10 parts were sent')
  })
})
