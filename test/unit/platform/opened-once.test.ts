import { describe, expect, it } from 'vitest'
import { OpenedOnce } from '../../../src/platform/opened-once.ts'

describe('what all requests share', () => {
  const works: Promise<unknown>[] = []
  const keepAlive = (work: Promise<unknown>) => void works.push(work)
  let opens = 0
  const open = async () => ++opens

  it('is opened once, and kept alive by the one who opens it', async () => {
    const shared = new OpenedOnce<number>(1000, () => 0)
    const before = opens
    const both = await Promise.all([shared.get(open, keepAlive), shared.get(open, keepAlive)])
    expect([both, works.length]).toEqual([[before + 1, before + 1], 1])
    await Promise.all(works)
  })

  it('is opened again after a failure', async () => {
    const shared = new OpenedOnce<number>(1000, () => 0)
    const failing = shared.get(() => Promise.reject(new Error('no')), keepAlive)
    await expect(failing).rejects.toThrow('no')
    await Promise.all(works)
    expect(await shared.get(open, keepAlive)).toBe(opens)
  })

  it('is opened again when the one who opens it is lost, but not because it is old', async () => {
    let now = 0
    const shared = new OpenedOnce<number>(1000, () => now)
    const lost = shared.get(
      () => new Promise(() => {}),
      () => {},
    )
    now = 999
    expect(shared.get(open, keepAlive)).toBe(lost)
    now = 1000
    const next = await shared.get(open, keepAlive)
    now = 1_000_000
    expect(await shared.get(open, keepAlive)).toBe(next)
  })
})
