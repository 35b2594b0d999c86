import { describe, expect, it } from 'vitest'
import { joinContainer, partIv, splitContainer } from '../../../src/container/format.ts'

const whole = joinContainer('head', [Uint8Array.of(1, 2), Uint8Array.of(3)])

describe('the bytes of a container', () => {
  it('a container is its prefix, its head and its parts', () => {
    expect([...whole]).toEqual([
      0x56,
      0x49,
      0x56,
      0x41,
      0x43,
      0x45,
      0x0a,
      1,
      0,
      0,
      0,
      4,
      ...Buffer.from('head'),
      1,
      2,
      3,
    ])
    expect(splitContainer(whole)).toEqual({ head: 'head', body: Uint8Array.of(1, 2, 3) })
  })

  it('a container is split wherever it lies in memory', () => {
    const longer = new Uint8Array(whole.length + 7)
    longer.set(whole, 7)
    expect(splitContainer(longer.subarray(7))).toEqual(splitContainer(whole))
  })

  it('other bytes are told from other versions and from damage', () => {
    const change = (at: number, byte: number) => Uint8Array.from(whole, (old, i) => (i === at ? byte : old))
    for (let at = 0; at < 7; at++) expect(splitContainer(change(at, 0xff))).toBe('other_format')
    expect(splitContainer(new Uint8Array(0))).toBe('other_format')
    expect(splitContainer(change(7, 0))).toBe('other_version')
    expect(splitContainer(change(7, 2))).toBe('other_version')
    expect(splitContainer(whole.slice(0, 10))).toBe('damaged')
    expect(splitContainer(whole.slice(0, 14))).toBe('damaged')
    expect(splitContainer(change(8, 0xff))).toBe('damaged')
    expect(splitContainer(change(9, 1))).toBe('damaged')
  })

  it('every part has its own IV', () => {
    expect([...partIv(0)]).toEqual(Array(12).fill(0))
    expect([...partIv(0x01020304)]).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4])
  })
})
