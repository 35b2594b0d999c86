import { describe, expect, it } from 'vitest'
import { BackgroundLoop, type LoopOptions } from '../../../src/background/background-loop.ts'

/** A loop whose timers run when the test says so. */
function makeLoop(change: Partial<LoopOptions> = {}) {
  const timers: { run(): void; delayMs: number }[] = []
  const errors: unknown[] = []
  let rounds = 0
  const loop = new BackgroundLoop({
    run: async () => void rounds++,
    onError: (error) => void errors.push(error),
    pauseMs: 100,
    pauseMaxMs: 300,
    setTimer(run, delayMs) {
      const timer = { run, delayMs }
      timers.push(timer)
      return () => void (timers.includes(timer) && timers.splice(timers.indexOf(timer), 1))
    },
    ...change,
  })
  const pass = async () => {
    timers.shift()!.run()
    await loop.settled()
  }
  const pauses = () => timers.map(({ delayMs }) => delayMs)
  return { loop, errors, pass, pauses, rounds: () => rounds }
}

describe('a background loop', () => {
  it('begins at once, and pauses longer after each round until it is woken', async () => {
    const { loop, pass, pauses, rounds } = makeLoop()
    loop.start()
    await loop.settled()
    const seen = []
    for (let round = 0; round < 4; round++) {
      seen.push(...pauses())
      await pass()
    }
    expect(seen).toEqual([100, 150, 225, 300])
    loop.wake()
    await loop.settled()
    expect([rounds(), pauses()]).toEqual([6, [100]])
  })

  it('pauses as long as a round says, which is not the usual pause', async () => {
    const { loop, pauses } = makeLoop({ run: async () => 7 })
    loop.start(50)
    expect(pauses()).toEqual([50])
    loop.wake()
    await loop.settled()
    expect(pauses()).toEqual([7])
  })

  it('runs one round at a time, and one more if it is woken meanwhile', async () => {
    let [running, most, rounds] = [0, 0, 0]
    const { loop, pauses } = makeLoop({
      async run() {
        most = Math.max(most, ++running)
        rounds++
        await Promise.resolve()
        running--
      },
    })
    loop.start()
    for (let i = 0; i < 3; i++) loop.wake()
    await loop.settled()
    expect([rounds, most, pauses()]).toEqual([2, 1, [100]])
  })

  it('a round that fails is told, and followed by its pause', async () => {
    const told: unknown[] = []
    const { loop, pauses } = makeLoop({
      async run() {
        loop.wake()
        throw new Error('no')
      },
      onError: (error) => void told.push(error),
      failurePauseMs: () => 30,
    })
    loop.start()
    await loop.settled()
    expect([told, pauses()]).toEqual([[new Error('no')], [30]])
  })

  it('stops: the round that runs is told and ends, and none follows', async () => {
    let resolve = () => {}
    const promise = new Promise<void>((done) => {
      resolve = done
    })
    let signal: AbortSignal | undefined
    const { loop, pauses } = makeLoop({
      async run(given) {
        signal = given
        await promise
      },
    })
    loop.start()
    let isStopped = false
    const stopped = loop.stop().then(() => {
      isStopped = true
    })
    loop.wake()
    await Promise.resolve()
    expect([signal?.aborted, isStopped, loop.isRunning]).toEqual([true, false, true])
    resolve()
    await stopped
    expect([pauses(), loop.isRunning]).toEqual([[], false])
  })

  it('does nothing before it is started, and may be started again', async () => {
    const { loop, pauses, rounds } = makeLoop()
    loop.wake()
    loop.postpone(5)
    expect([rounds(), pauses(), loop.isStarted]).toEqual([0, [], false])
    loop.start()
    await loop.stop()
    loop.start()
    await loop.settled()
    expect([rounds(), pauses()]).toEqual([2, [100]])
    loop.postpone(5)
    expect(pauses()).toEqual([5])
    await loop.stop()
  })
})
