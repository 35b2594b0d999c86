/** Numbers in the texts of pages. */
import { expect, it } from 'vitest'
import { fillText } from '../../../web/languages.ts'

it.each([
  [0.0004, '0,0004'],
  [0.99995, '0,99995'],
  [0.1 + 0.2, '0,3'],
  [1234, '1.234'],
])('%d has its digits, and the comma of the language', (value, text) => {
  expect(fillText('ab {value}', { value }, 'de')).toBe(`ab ${text}`)
})
