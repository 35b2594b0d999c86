import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { flagSchema, jsonObject, objectOf, parseWith, strictMembers } from '../../../src/contract/parse.ts'
import { AppError } from '../../../src/errors.ts'

function refusal(schema: v.GenericSchema, value: unknown) {
  try {
    parseWith(schema, { a: value })
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error('the value was accepted')
}

describe('refusals say what is allowed', () => {
  it.each([
    ['a picklist', v.picklist(['RED', 'GREEN']), 'BLUE', 'one of RED, GREEN'],
    ['a flag', flagSchema, 'yes', 'true or false'],
    ['a number', v.number(), 's3cret', 'a number'],
    ['a whole number', v.pipe(v.number(), v.integer()), 1.5, 'a whole number'],
    ['a range', v.pipe(v.number(), v.minValue(0), v.maxValue(1)), 7, 'at most 1'],
    ['a text', v.pipe(v.string(), v.maxLength(3)), 's3cret', 'at most 3 characters'],
    ['a list', v.pipe(v.array(v.string()), v.maxLength(1)), ['s3cret', 'b'], 'at most 1 items'],
    ['an object', jsonObject, [], 'an object'],
    ['a UUID', v.pipe(v.string(), v.uuid()), 's3cret', 'a UUID'],
    [
      'a check',
      v.pipe(
        v.string(),
        v.check((text) => text === 'x', 'an x'),
      ),
      's3cret',
      'an x',
    ],
    ['nothing', v.number(), undefined, 'a number'],
  ])('%s', (_, schema, value, expected) => {
    const { message, details, place } = refusal(v.object({ a: schema }), value)
    expect(details).toEqual({ key_path: 'a', expected })
    expect(place).toBe('a')
    expect(message).not.toContain('s3cret')
    if (value !== undefined) expect(message).toContain(`must be ${expected}`)
    else expect(message).toBe('Could not locate field for key_path a from provided dict data')
  })

  it('places that are logged have no names of the caller', () => {
    const ofCaller = v.object({ a: objectOf(v.number()) })
    const inRecord = refusal(ofCaller, { my_secret: 'x' })
    expect(inRecord.details).toMatchObject({ key_path: 'a.my_secret' })
    expect(inRecord.place).toBe('a.*')
    const unknown = refusal(v.object({ a: strictMembers({ known: v.optional(v.number()) }) }), {
      my_secret: 1,
    })
    expect(unknown.place).toBe('a.*')
  })
})
