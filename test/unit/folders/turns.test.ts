import { describe, expect, it } from 'vitest'
import { Turns } from '../../../src/folders/turns.ts'

const later = (ms = 5) => new Promise<void>((resolve) => setTimeout(resolve, ms))

describe('Turns', () => {
  it('do work on one key one after the other, and work on different keys side by side', async () => {
    const turns = new Turns()
    const events: string[] = []
    const work = (key: string, name: string) =>
      turns.run(key, async () => {
        events.push(`${name} begins`)
        await later()
        events.push(`${name} ends`)
      })
    await Promise.all([work('a', 'one'), work('a', 'two'), work('b', 'other')])
    expect(events.indexOf('two begins')).toBeGreaterThan(events.indexOf('one ends'))
    expect(events.indexOf('other begins')).toBeLessThan(events.indexOf('one ends'))
  })

  it('go on after work that fails, which rejects its own caller alone', async () => {
    const turns = new Turns()
    const failing = turns.run('a', async () => {
      await later()
      throw new RangeError('broken')
    })
    const next = turns.run('a', async () => 'done')
    await expect(failing).rejects.toThrow(RangeError)
    expect(await next).toBe('done')
  })
})
