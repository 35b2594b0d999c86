import { describe, expect, it } from 'vitest'
import { KeyedMutex } from '../../../src/queue/mutex.ts'

const later = () => new Promise<void>((resolve) => setTimeout(resolve, 5))

describe('KeyedMutex', () => {
  it('does work on one key one after the other, and work on different keys side by side', async () => {
    const mutex = new KeyedMutex()
    const events: string[] = []
    const work = (key: string, name: string) =>
      mutex.run(key, async () => {
        events.push(`${name} begins`)
        await later()
        events.push(`${name} ends`)
      })
    await Promise.all([work('a', 'one'), work('a', 'two'), work('b', 'other')])
    expect(events.indexOf('two begins')).toBeGreaterThan(events.indexOf('one ends'))
    expect(events.indexOf('other begins')).toBeLessThan(events.indexOf('one ends'))
  })

  it('goes on after work that fails, which rejects its own caller alone', async () => {
    const mutex = new KeyedMutex()
    const failing = mutex.run('a', async () => {
      await later()
      throw new RangeError('broken')
    })
    const next = mutex.run('a', async () => 'done')
    await expect(failing).rejects.toThrow(RangeError)
    expect(await next).toBe('done')
  })
})
