import { expect, it } from 'vitest'
import { joinBytes } from '../../src/join-bytes.ts'

it('joins pieces in their order, also none, empty ones and very many', () => {
  expect(joinBytes([])).toEqual(new Uint8Array())
  expect(joinBytes([Uint8Array.of(1, 2), new Uint8Array(), Uint8Array.of(3)])).toEqual(Uint8Array.of(1, 2, 3))
  const many = Array.from({ length: 200_000 }, (_, i) => Uint8Array.of(i))
  expect(joinBytes(many).at(-1)).toBe(199_999 % 256)
})
