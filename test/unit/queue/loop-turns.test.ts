import { describe, expect, it, vi } from 'vitest'
import { gatherBytes, gatherEach } from '../../../src/queue/loop-turns.ts'
import { turnsDuring } from '../../fixtures/loop-turns.ts'

function* pieces(): Generator<string> {
  for (let i = 0; i < 300; i++) yield `<td>${i} ü</td>`.repeat(100)
}
const whole = [...pieces()].join('')

describe('long text', () => {
  it('is gathered in pieces', async () => {
    const texts: string[] = []
    for await (const text of gatherEach(pieces(), 1000)) texts.push(text)
    expect(texts.join('')).toBe(whole)
    expect(Math.max(...texts.map(({ length }) => length))).toBeLessThan(3000)
  })

  it('is encoded piece by piece, with turns for others', async () => {
    const encode = vi.spyOn(TextEncoder.prototype, 'encode')
    let bytes = new Uint8Array()
    const turns = await turnsDuring(async () => {
      bytes = await gatherBytes(pieces())
    })
    const longest = Math.max(...encode.mock.calls.map(([text = '']) => text.length))
    encode.mockRestore()
    expect(longest).toBeLessThan(2 ** 17)
    expect(turns).toBeGreaterThan(whole.length / 2 ** 16)
    expect(Buffer.from(bytes).equals(Buffer.from(whole))).toBe(true)
  })
})
