/** What the event loop spends on files whose headers never end: it estimates their cost. */
import { describe, expect, it, vi } from 'vitest'
import { cheapMaxMs, estimateCostMs } from '../../../src/assess/media-cost.ts'
import { AppError } from '../../../src/errors.ts'
import { inspectImage } from '../../../src/media/decode-image.ts'
import { pictureFormats } from '../../../src/media/formats/registry.ts'
import { HeaderBudget, loopBudget } from '../../../src/media/header-cursor.ts'
import { endlessHeaders } from '../../fixtures/endless-headers.ts'

const limits = { taskTimeoutMs: 30_000, clipMaxS: 10 }
/** Half of what a request may hold the loop; 0.2 to 10 ms were measured. */
const loopMaxMs = 25

/** Processor time of the fastest of three runs: the machine may have other work. */
function measureMs(work: () => unknown): number {
  const times = [1, 2, 3].map(() => {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  })
  return Math.min(...times)
}

function refusalOf(work: () => unknown): unknown {
  try {
    work()
    return null
  } catch (error) {
    return error
  }
}

const files = Object.entries(endlessHeaders).flatMap(([format, units]) =>
  Object.entries(units).map(([unit, make]) => [format, unit, make] as const),
)

/** Limits nothing, and measures the heap while a header is read. */
class MeasuredBudget extends HeaderBudget {
  heapBytesMax = 0
  #steps = 0

  constructor() {
    super(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY)
  }

  override spend(): void {
    if (this.#steps++ % 2 ** 17 === 0)
      this.heapBytesMax = Math.max(this.heapBytesMax, process.memoryUsage().heapUsed)
  }
}

describe('all of the header of a picture without an end', () => {
  const pictures = pictureFormats.flatMap(({ id }) =>
    Object.entries(endlessHeaders[id]).map(([unit, make]) => [id, unit, make] as const),
  )

  it.each(pictures)('is read in bounded memory: %s of %s', (_, __, make) => {
    const bytes = make()
    const budget = new MeasuredBudget()
    const before = process.memoryUsage().heapUsed
    refusalOf(() => inspectImage(bytes, { pixelsMax: 4e7 }, budget))
    // What is not collected yet. Lists of all units took up to 800.
    expect((budget.heapBytesMax - before) / 2 ** 20).toBeLessThan(150)
  })
})

describe('the cost of a file without an end of its header', () => {
  it.each(files)('is estimated in bounded time, and not as a cheap one: %s of %s', (_, __, make) => {
    const bytes = make()
    const spend = vi.spyOn(HeaderBudget.prototype, 'spend')
    const costMs = estimateCostMs(bytes, limits)
    const [steps, searched] = [0, 1].map((i) => spend.mock.calls.reduce((sum, call) => sum + call[i]!, 0))
    spend.mockRestore()
    expect(steps).toBeLessThanOrEqual(4097)
    expect(searched).toBeLessThanOrEqual(2 ** 22 + 1)
    expect(measureMs(() => estimateCostMs(bytes, limits))).toBeLessThan(loopMaxMs)
    const isRefusedAtOnce = () =>
      refusalOf(() => inspectImage(bytes, { pixelsMax: 4e7 }, loopBudget())) instanceof AppError
    expect(costMs > cheapMaxMs || isRefusedAtOnce()).toBe(true)
  })
})
