import { describe, expect, it } from 'vitest'
import { WorkersBackground } from '../../../src/platform/workers-background.ts'

/** An invocation whose work can be awaited. */
function invocation() {
  const works: Promise<unknown>[] = []
  const ended = async () => {
    for (let done = 0; done < works.length; done++) await works[done]
  }
  return { waitUntil: (work: Promise<unknown>) => void works.push(work), works, ended }
}

describe('background work of Workers', () => {
  it('is asked for once per invocation, by a message', async () => {
    const sent: unknown[] = []
    const background = new WorkersBackground({ send: async (message) => void sent.push(message) }, () => 0)
    background.use(async () => {
      throw new Error('the consumer of the queue drains')
    })
    const { ended, ...call } = invocation()
    await background.enter(call, async () => {
      background.runSoon()
      background.runSoon()
    })
    await ended()
    expect(sent).toEqual(['run'])
  })

  it('a queue that fails does not fail the call', async () => {
    const background = new WorkersBackground({ send: () => Promise.reject(new Error('full')) }, () => 0)
    const { ended, ...call } = invocation()
    await background.enter(call, async () => background.runSoon())
    await ended()
  })

  it('without a queue follows in the invocation that asks, also for what is added meanwhile', async () => {
    const background = new WorkersBackground(null, () => 0)
    let drains = 0
    background.use(async () => {
      drains++
      await Promise.resolve()
      if (drains === 1) background.runSoon()
    })
    const { ended, ...call } = invocation()
    await background.enter(call, async () => {
      background.runSoon()
      background.runSoon()
    })
    await ended()
    expect(drains).toBe(2)
  })

  it('of two invocations belongs to each its own', async () => {
    const background = new WorkersBackground(null, () => 0)
    const [one, other] = [invocation(), invocation()]
    let go: () => void = () => {}
    const gate = new Promise<void>((resolve) => {
      go = resolve
    })
    const first = background.enter(one, async () => {
      await gate
      background.runSoon()
    })
    await background.enter(other, async () => background.defer(Promise.resolve()))
    go()
    await first
    expect([one.works.length, other.works.length]).toEqual([1, 1])
  })

  it('outside of an invocation does nothing', () => {
    const background = new WorkersBackground(null, () => 0)
    background.runSoon()
    background.defer(Promise.resolve())
  })

  it('asks for more time by a message if there was not enough', async () => {
    const sent: unknown[] = []
    let now = 0
    const background = new WorkersBackground({ send: async (message) => void sent.push(message) }, () => now)
    background.use(async () => {
      now += 600
    })
    await background.drainFor(1000)
    expect(sent).toEqual([])
    await background.drainFor(500)
    expect(sent).toEqual(['run'])
  })

  it('begins nothing when its time is up', async () => {
    let now = 0
    const background = new WorkersBackground(null, () => now)
    const ups: boolean[] = []
    background.use(async (isTimeUp) => {
      for (const at of [0, 999, 1000]) {
        now = at
        ups.push(isTimeUp())
      }
    })
    await background.drainFor(1000)
    expect(ups).toEqual([false, false, true])
  })
})
