import { describe, expect, it } from 'vitest'
import { type HourlyUsage, UsageLog } from '../../../src/statistics/usage-log.ts'

const hourMs = 3600_000

describe('the usage log', () => {
  function opened() {
    const clock = { nowMs: Date.UTC(2030, 0, 1, 8, 59) }
    const lines: [string, readonly HourlyUsage[]][] = []
    const log = new UsageLog({
      nowMs: () => clock.nowMs,
      onError: (error) => {
        throw error
      },
      write: (fromMs, counts) => lines.push([new Date(fromMs).toISOString(), counts]),
    })
    return { clock, lines, log }
  }

  it('an hour is one line, with counts by company and type', async () => {
    const { clock, lines, log } = opened()
    log.count('a', ['liveness', 'verification'])
    log.count('a', ['liveness'])
    log.count('b', ['liveness'])
    expect(lines).toEqual([])
    clock.nowMs += hourMs
    log.count('b', ['liveness'])
    expect(lines).toEqual([
      [
        '2030-01-01T08:00:00.000Z',
        [
          { companyId: 'a', type: 'liveness', count: 2 },
          { companyId: 'a', type: 'verification', count: 1 },
          { companyId: 'b', type: 'liveness', count: 1 },
        ],
      ],
    ])
    await log.stop()
    expect(lines[1]).toEqual(['2030-01-01T09:00:00.000Z', [{ companyId: 'b', type: 'liveness', count: 1 }]])
  })

  it('an hour without analyses is no line', async () => {
    const { clock, lines, log } = opened()
    clock.nowMs += hourMs
    await log.stop()
    expect(lines).toEqual([])
  })

  it('more companies than fit into an hour are written before it is over', async () => {
    const { lines, log } = opened()
    for (let i = 0; i < 10_001; i++) log.count(`company ${i}`, ['liveness'])
    expect(lines.map(([, counts]) => counts.length)).toEqual([10_000])
    await log.stop()
    expect(lines.map(([, counts]) => counts.length)).toEqual([10_000, 1])
  })
})
