import { describe, expect, it, vi } from 'vitest'
import { AppError } from '../../../src/errors.ts'
import { anonymousCaller } from '../../../src/queue/caller.ts'
import { FairSemaphore } from '../../../src/queue/fair-semaphore.ts'

const options = { atOnceMax: 1, waitingMax: 10, waitMaxMs: 60_000, busy: 'busy' }
const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  )

/** Work that ends when the test says so, and records when it began. */
function works() {
  const begun: string[] = []
  const ends: (() => void)[] = []
  const work = (name: string) => () => {
    begun.push(name)
    return new Promise<void>((resolve) => ends.push(resolve))
  }
  const pause = () => new Promise((resolve) => setTimeout(resolve, 0))
  const endOne = async () => {
    await pause()
    ends.shift()?.()
    await pause()
  }
  return { begun, work, endOne }
}

describe('FairSemaphore', () => {
  it('alternates between callers', async () => {
    const turns = new FairSemaphore(options)
    const { begun, work, endOne } = works()
    const all = ['a1', 'a2', 'a3', 'b1'].map((name) => turns.run(anonymousCaller(name[0]!), 10, work(name)))
    for (let i = 0; i < 4; i++) await endOne()
    await Promise.all(all)
    expect(begun.indexOf('b1')).toBeLessThan(2)
  })

  it('refuses the caller who fills the queue, and accepts one with a single job', async () => {
    const turns = new FairSemaphore({ ...options, waitingMax: 2 })
    const { begun, work, endOne } = works()
    const flood = ['f1', 'f2', 'f3'].map((name) => codeOf(turns.run(anonymousCaller('f'), 10, work(name))))
    const honest = codeOf(turns.run(anonymousCaller('h'), 10, work('h')))
    expect(await codeOf(turns.run(anonymousCaller('f'), 10, work('f4')))).toBe('overloaded')
    for (let i = 0; i < 3; i++) await endOne()
    expect(await Promise.all([...flood, honest])).toEqual(['done', 'done', 'overloaded', 'done'])
    expect(begun).toContain('h')
  })

  it('charges estimates where the clock stands still', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(5)
    try {
      const turns = new FairSemaphore({ ...options, waitingMax: 100, clockStandsStill: true })
      const { begun, work, endOne } = works()
      const always = () => turns.run(anonymousCaller('always'), 500, work('always'))
      const all = Array.from({ length: 20 }, always)
      for (let i = 0; i < 10; i++) await endOne()
      // A newcomer with dearer work is not passed by for ever.
      all.push(turns.run(anonymousCaller('new'), 600, work('new')))
      for (let i = 0; i < 11; i++) await endOne()
      await Promise.all(all)
      expect(begun.slice(0, 14)).toContain('new')
    } finally {
      now.mockRestore()
    }
  })

  it('continues after work that failed', async () => {
    const turns = new FairSemaphore(options)
    const failing = turns.run(anonymousCaller('a'), 10, () => Promise.reject(new TypeError('x')))
    expect(await codeOf(failing)).toBe('TypeError: x')
    expect(await turns.run(anonymousCaller('a'), 10, async () => 1)).toBe(1)
  })

  it('drops jobs of callers who have disconnected, and jobs that waited too long', async () => {
    const turns = new FairSemaphore({ ...options, waitMaxMs: 30 })
    const { begun, work, endOne } = works()
    const first = turns.run(anonymousCaller('a'), 10, work('first'))
    const gone = new AbortController()
    const left = codeOf(turns.run(anonymousCaller('a'), 10, work('left'), gone.signal))
    gone.abort()
    const late = codeOf(turns.run(anonymousCaller('a'), 10, work('late')))
    expect([await left, await late]).toEqual(['overloaded', 'overloaded'])
    await endOne()
    await first
    expect([begun, turns.waiting]).toEqual([['first'], 0])
  })

  it('gives the place of work that was lost with its request to others, once', async () => {
    const turns = new FairSemaphore({ ...options, heldMaxMs: 20 })
    let endLost: () => void = () => {}
    const lost = turns.run(
      anonymousCaller('a'),
      10,
      () => new Promise<void>((resolve) => (endLost = resolve)),
    )
    await new Promise((resolve) => setTimeout(resolve, 40))
    const { begun, work, endOne } = works()
    const all = ['b', 'c'].map((name) => turns.run(anonymousCaller(name), 10, work(name)))
    await new Promise((resolve) => setTimeout(resolve, 0))
    expect(begun).toEqual(['b'])
    endLost()
    await lost
    expect(begun).toEqual(['b'])
    await endOne()
    await endOne()
    await Promise.all(all)
    expect(begun).toEqual(['b', 'c'])
  })

  it('gives it also to who came before that was known', async () => {
    const turns = new FairSemaphore({ ...options, heldMaxMs: 20 })
    void turns.run(anonymousCaller('a'), 10, () => new Promise<void>(() => {}))
    expect(await turns.run(anonymousCaller('b'), 10, async () => 'done')).toBe('done')
  }, 5000)
})
