import { describe, expect, it } from 'vitest'
import { parseExactJson, writeExactJson } from '../../src/exact-json.ts'

const long = '12345678901234567890'

describe('JSON with exact numbers', () => {
  it.each([
    `{"a":${long}}`,
    `[-${long},9007199254740993,-9007199254740992,9007199254740991]`,
    `{"a":[1,{"b":${'9'.repeat(400)}}],"${long}":"${long}"}`,
    `"\\"${long}\\\\"`,
    `{"a":0.1234567890123456,"b":1e+21,"__proto__":${long}}`,
    '{"a":1,"b":[true,null,"x"],"c":{}}',
  ])('is written as it was read: %.60s', (json) => {
    expect(writeExactJson(parseExactJson(json))).toBe(json)
  })

  it('has numbers where they are exact, and bigint only beyond', () => {
    expect(parseExactJson(`{"a":9007199254740991,"b":9007199254740992,"c":1.5}`)).toEqual({
      a: 9007199254740991,
      b: 9007199254740992n,
      c: 1.5,
    })
    expect(parseExactJson(` ${long} `)).toBe(BigInt(long))
  })

  it('is laid out as by the platform', () => {
    expect(writeExactJson({ a: [1n, 2] }, 1)).toBe(JSON.stringify({ a: [1, 2] }, null, 1))
    expect(writeExactJson(undefined)).toBeUndefined()
  })

  it.each([`{${long}: 1}`, `[0${long}]`, `[${long}`, `[--${long}]`, `[${long}abc]`, `{"a":${long},}`])(
    'is refused if it is no JSON: %s',
    (json) => {
      expect(() => parseExactJson(json)).toThrow(SyntaxError)
    },
  )

  it('does not hide what the platform refuses', () => {
    const circle: Record<string, unknown> = { long: 1n }
    circle.self = circle
    expect(() => writeExactJson(circle)).toThrow(TypeError)
  })
})
