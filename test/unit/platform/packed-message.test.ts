import { describe, expect, it } from 'vitest'
import { packMessage, unpackMessage } from '../../../src/platform/packed-message.ts'

/** Numbers of typed arrays that a walk over all members of a message meets. */
function countNumbers(value: unknown): number {
  if (ArrayBuffer.isView(value)) return value.byteLength
  if (typeof value !== 'object' || value === null) return 0
  const members = value instanceof Map ? [...value.values()] : Object.values(value)
  return members.reduce((sum: number, member) => sum + countNumbers(member), 0)
}

describe('a message between threads', () => {
  const bytes = new Uint8Array(new ArrayBuffer(64), 8, 16).fill(7)
  const message = {
    medium: { kind: 'picture', bytes },
    plans: new Map([['a', { weights: Float32Array.of(1, 2), shape: [1, 2] }]]),
    list: [Uint8ClampedArray.of(300), null, undefined, 'text', 2n],
    buffer: 'a text of that name',
    pooled: Buffer.from('pooled'),
    at: new Date(5),
  }

  it('has no typed arrays, and is the same on the other side', () => {
    const packed = packMessage(message)
    expect(countNumbers(message)).toBeGreaterThan(0)
    expect(countNumbers(packed)).toBe(0)
    const { pooled, ...rest } = unpackMessage<typeof message>(structuredClone(packed))
    const { pooled: sent, ...all } = message
    expect(rest).toEqual(all)
    expect(pooled).toEqual(new Uint8Array(sent))
  })

  it('takes buffers along instead of copying them', () => {
    const own = new Uint8Array(1000).fill(3)
    const packed = structuredClone(packMessage({ own }), { transfer: [own.buffer] })
    expect(own.length).toBe(0)
    expect(unpackMessage<{ own: Uint8Array }>(packed).own).toEqual(new Uint8Array(1000).fill(3))
  })

  it.each([1, 'text', null, undefined, true])('may be %s', (value) => {
    expect(unpackMessage(packMessage(value))).toBe(value)
  })
})
