/** Limits for JSON from callers: measured on the text and refused with the limit, before parsing. */
import { describe, expect, it } from 'vitest'
import { measureJson, parseJsonObject } from '../../../src/contract/bounded-json.ts'
import { parsePayload } from '../../../src/contract/full/payload.ts'
import { refuseExcess } from '../../../src/contract/metadata.ts'
import type { AppError } from '../../../src/errors.ts'

function errorOf(work: () => unknown): Pick<AppError, 'code' | 'message'> | null {
  try {
    work()
    return null
  } catch (error) {
    const { code, message } = error as AppError
    return { code, message }
  }
}

const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]))
const object = (count: number): string => JSON.stringify(fields(count))
const tooMany = { code: 'value_invalid', message: 'The payload has too many values: at most 10000' }
const tooDeep = { code: 'value_invalid', message: 'The payload is nested too deeply: at most 64 levels' }

describe('the size of JSON', () => {
  it.each([
    ['{}', 2, 1],
    ['{"a": 1, "b": [1, 2, {}]}', 7, 3],
    ['{"a,b[{": "\\"[[[[,,,,", "c\\\\": "]"}', 3, 1],
    ['"[[[[,,,"', 1, 0],
    ['["unfinished', 2, 1],
    ['["unfinished\\', 2, 1],
    [']]]][', 2, 0],
  ])('measures %s as %i values in %i levels at most', (json, values, depth) => {
    expect(measureJson(json)).toEqual({ values, depth })
  })

  it('the measured number of values is an upper bound', () => {
    const count = (value: unknown): number =>
      value !== null && typeof value === 'object'
        ? Object.values(value).reduce((sum: number, item) => sum + count(item), 1)
        : 1
    for (const value of [{}, [], [[]], { a: { b: [1, 'x', null] } }, [[[1], [2]], { a: {} }], fields(100)])
      expect(measureJson(JSON.stringify(value)).values).toBeGreaterThanOrEqual(count(value))
  })
})

describe('a payload', () => {
  it.each([
    ['fields of metadata', `{"folder:meta_data": ${object(50_000)}}`],
    ['fields under a key that nobody knows', `{"x": ${object(20_000)}}`],
    ['items', `{"x": [${'1,'.repeat(20_000)}1]}`],
    ['empty lists', `{"x": [${'[],'.repeat(20_000)}[]]}`],
    ['empty objects that never end', `{"x": [${'{},'.repeat(20_000)}`],
  ])('refuses a payload of too many %s', (_, text) => {
    expect(errorOf(() => parseJsonObject(text))).toEqual(tooMany)
  })

  it('refuses a payload that is nested too deeply, complete or not', () => {
    expect(errorOf(() => parseJsonObject(`{"a":${'['.repeat(64)}${']'.repeat(64)}}`))).toEqual(tooDeep)
    expect(errorOf(() => parseJsonObject('{"a":'.repeat(100_000)))).toEqual(tooDeep)
    expect(errorOf(() => parseJsonObject(`{"a":${'['.repeat(63)}${']'.repeat(63)}}`))).toBeNull()
  })

  it.each([
    ['a list', '['.repeat(100)],
    ['a picture', `\u00ff\u00d8${'[{,'.repeat(20_000)}`],
    ['a template', `${'{'.repeat(100)}a${'}'.repeat(100)}`],
    ['text', ` \n${'a, '.repeat(20_000)}`],
    ['an object that is broken off', '{"a": '],
    ['nothing', ''],
  ])('refuses %s as what it is, before anything is counted', (_, text) => {
    const notObject = { code: 'structure_invalid', message: 'Could not parse body as JSON object' }
    expect(errorOf(() => parseJsonObject(text))).toEqual(notObject)
  })

  it('refuses a payload that is too long, even if it holds few values', () => {
    expect(errorOf(() => parseJsonObject(`{"a": "${'a'.repeat(2 ** 20)}"}`))).toEqual({
      code: 'body_too_large',
      message: 'The payload is longer than 1048576 bytes',
    })
  })

  it.each([
    '{"a": 1e999}',
    '{"a": -1E+400}',
    '{"9007199254740993": "\\\\", "a": 1e999}',
    '{"\\"": 9007199254740993e300}',
    `{"a": ${'9'.repeat(101)}}`,
    `{"a": [-${'9'.repeat(101)}]}`,
  ])('refuses a number that cannot be kept: %.60s', (text) => {
    expect(errorOf(() => parseJsonObject(text))).toEqual({
      code: 'value_invalid',
      message: 'A number has more than 100 digits, or is too large; send it as text',
    })
  })

  it('refuses more long numbers than metadata have values', () => {
    const ofLong = (count: number) =>
      `{"a": [${Array.from({ length: count }, () => '9'.repeat(100)).join()}]}`
    expect(errorOf(() => parseJsonObject(ofLong(4001)))?.message).toMatch(
      /^The payload has more than 4000 numbers/,
    )
    expect(parseJsonObject(ofLong(4000)).a).toHaveLength(4000)
    expect(parseJsonObject(`{"a": [${Array.from({ length: 5000 }, () => Math.PI).join()}]}`).a).toHaveLength(
      5000,
    )
  })

  it.each(['a=1e999', `{"a": 1e999`, `[${'9'.repeat(101)}`])(
    'is no JSON before it has wrong numbers: %.60s',
    (text) => {
      expect(errorOf(() => parseJsonObject(text))?.code).toBe('structure_invalid')
    },
  )

  it.each([
    ['{"a": 9007199254740993}', { a: 9007199254740993n }],
    ['{"a": [1, 2, {"b": -12345678901234567890}]}', { a: [1, 2, { b: -12345678901234567890n }] }],
    [
      '{"9007199254740993": "\\\\", "a": 9007199254740993}',
      { '9007199254740993': '\\', a: 9007199254740993n },
    ],
    [`{"a": -${'9'.repeat(100)}}`, { a: -BigInt('9'.repeat(100)) }],
  ])('keeps the digits of a long number: %.60s', (text, value) => {
    expect(parseJsonObject(text)).toEqual(value)
  })

  it('a long number where one within limits is expected is refused with the limits', () => {
    const analyses = [{ type: 'quality', params: { threshold_spoofing: 12345678901234567890n } }]
    expect(errorOf(() => parsePayload({ analyses }))).toEqual({
      code: 'value_invalid',
      message:
        "Invalid param value for 'analyses.0.params.threshold_spoofing': must be a number from -2^53 to 2^53",
    })
  })

  it.each([
    '{"a": 9007199254740991}',
    '{"a": -9007199254740991, "b": -0, "c": 0.1000000000000000055, "d": 1e-400, "e": 12e300}',
    '{"a": "9007199254740993"}',
    '{"9007199254740993": "1e999 \\" 9007199254740993 \\\\", "b": [1]}',
    `{"a": 0.${'9'.repeat(101)}, "b": "${'9'.repeat(101)}"}`,
  ])('accepts %s', (text) => {
    expect(parseJsonObject(text)).toEqual(JSON.parse(text))
  })

  it('accepts a thousand persons with metadata', () => {
    const person = { images: ['photo'], meta_data: { id: 1, name: 'x', city: 'y', note: 'z' } }
    expect(parseJsonObject(JSON.stringify({ persons: Array(1000).fill(person) })).persons).toHaveLength(1000)
  })

  it('accepts at most a hundred tags per medium and an address of 2048 characters', () => {
    const tags = (list: string[]) => () => parsePayload({ analyses: [], 'media:tags': { a: list } })
    expect(errorOf(tags(Array(100).fill('t'.repeat(200))))).toBeNull()
    expect(errorOf(tags(Array(101).fill('t')))?.code).toBe('value_invalid')
    expect(errorOf(tags(['t'.repeat(201)]))?.code).toBe('value_invalid')
    const resolution_endpoint = `https://a.test/${'a'.repeat(2048)}`
    expect(errorOf(() => parsePayload({ analyses: [], resolution_endpoint }))?.code).toBe('value_invalid')
  })
})

describe('metadata of one object', () => {
  it('accepts long numbers', () => {
    expect(refuseExcess({ id: 12345678901234567890n })).toEqual({ id: 12345678901234567890n })
  })

  it.each([
    ['1001 fields', fields(1001), 'Metadata of one object has more than 1000 fields'],
    ['4001 items', { a: Array(4001).fill(1) }, 'Metadata of one object has more than 4000 values'],
    [
      'a long text',
      { a: 'x'.repeat(256 * 1024) },
      'Metadata of one object is longer than 262144 characters of JSON',
    ],
  ])('refuses metadata of %s', (_, metadata, message) => {
    expect(errorOf(() => refuseExcess(metadata))).toEqual({ code: 'value_invalid', message })
  })

  it('accepts metadata of 1000 fields', () => {
    expect(refuseExcess(fields(1000))).toEqual(fields(1000))
  })
})
