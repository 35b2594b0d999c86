import { expect, it } from 'vitest'
import { ClockWatch } from '../../../src/folders/clock-watch.ts'
import { readServerMs } from '../../../src/storage/server-clock.ts'
import { openTestDatabase } from '../../fixtures/database.ts'

const startMs = Date.UTC(2026, 0, 1)

/** A watch whose clock is ahead of the server's, which takes a while to answer. */
function watch(aheadMs: number, callMs = 10) {
  const clock = { serverMs: startMs, aheadMs }
  const told: number[] = []
  const watcher = new ClockWatch({
    async readServerMs() {
      clock.serverMs += callMs
      return clock.serverMs - callMs / 2
    },
    nowMs: () => clock.serverMs + clock.aheadMs,
    onDifference: (leadMs) => told.push(leadMs),
  })
  return { clock, told, watcher }
}

it.each([
  [0, []],
  [2900, []],
  [-2900, []],
  [10_000, [9995]],
  [-10_000, [-9995]],
])('a clock that is %i ms ahead of the database server’s', async (aheadMs, expected) => {
  const { told, watcher } = watch(aheadMs)
  await watcher.check()
  expect(told).toEqual(expected)
})

it('the duration of the call is not taken for a difference', async () => {
  const { told, watcher } = watch(2000, 30_000)
  await watcher.check()
  expect(told).toEqual([])
})

it('a difference is told once an hour, until the clock is right', async () => {
  const { clock, told, watcher } = watch(60_000)
  for (let minute = 0; minute < 120; minute++) {
    await watcher.check()
    clock.serverMs += 60_000
  }
  expect(told).toHaveLength(2)
  clock.aheadMs = 0
  clock.serverMs += 3600_000
  await watcher.check()
  expect(told).toHaveLength(2)
})

it('the database tells its time in milliseconds', async () => {
  const { database, close } = await openTestDatabase()
  const before = Date.now()
  const ms = await readServerMs(database)
  const after = Date.now()
  await close()
  expect(ms).toBeGreaterThan(before - 2)
  expect(ms).toBeLessThan(after + 2)
})
