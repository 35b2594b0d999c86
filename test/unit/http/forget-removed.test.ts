import { expect, it } from 'vitest'
import { mayRemove } from '../../../src/http/middleware/forget-removed.ts'

it.each<[method: string, status: number, mayRemove: boolean]>([
  ['GET', 200, false],
  ['POST', 201, false],
  ['POST', 200, true],
  ['PUT', 200, true],
  ['PUT', 201, true],
  ['PATCH', 200, true],
  ['DELETE', 204, true],
  ['DELETE', 404, false],
  // It may have failed after it removed something.
  ['DELETE', 500, true],
])('%s with status %i: what it may have removed is overwritten: %s', (method, status, expected) => {
  expect(mayRemove(method, status)).toBe(expected)
})
