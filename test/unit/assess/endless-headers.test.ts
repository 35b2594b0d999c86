/** What the event loop spends on files whose headers never end: it estimates their cost. */
import { describe, expect, it, vi } from 'vitest'
import { cheapMaxMs, estimateCostMs } from '../../../src/assess/media-cost.ts'
import { AppError } from '../../../src/errors.ts'
import { checkHeader } from '../../../src/media/decode-image.ts'
import { pictureFormats } from '../../../src/media/formats/registry.ts'
import { HeaderBudget } from '../../../src/media/header-cursor.ts'
import { isRead, type OpenedMedium, openMedium } from '../../../src/media/opened-medium.ts'
import { endlessHeaders } from '../../fixtures/endless-headers.ts'

const limits = { taskTimeoutMs: 30_000, clipMaxS: 10 }
/** Half of what a request may hold the loop; 0.2 to 10 ms were measured. */
const loopMaxMs = 25

const runsMax = 20

/** Processor time of the fastest run, of as many as it takes to be fast enough: the machine and this process have other work. */
function measureMs(work: () => unknown): number {
  let fastestMs = Number.POSITIVE_INFINITY
  for (let run = 0; run < runsMax && fastestMs >= loopMaxMs; run++) {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    fastestMs = Math.min(fastestMs, (user + system) / 1000)
  }
  return fastestMs
}

/** Whether it needs no worker to find out that nothing is to be decoded. */
function isRefusedAtOnce(medium: OpenedMedium): boolean {
  if (medium.kind === 'other') return true
  if (medium.kind !== 'picture' || !isRead(medium.header)) return medium.header === 'damaged'
  try {
    checkHeader(medium.header, { pixelsMax: 4e7 })
    return false
  } catch (error) {
    return error instanceof AppError
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
    openMedium(bytes, budget)
    // What is not collected yet. Lists of all units took up to 800.
    expect((budget.heapBytesMax - before) / 2 ** 20).toBeLessThan(150)
  })
})

describe('the cost of a file without an end of its header', () => {
  it.each(files)('is estimated in bounded time, and not as a cheap one: %s of %s', (_, __, make) => {
    const bytes = make()
    const spend = vi.spyOn(HeaderBudget.prototype, 'spend')
    const costMs = estimateCostMs(openMedium(bytes), limits)
    const [steps, searched] = [0, 1].map((i) => spend.mock.calls.reduce((sum, call) => sum + call[i]!, 0))
    spend.mockRestore()
    expect(steps).toBeLessThanOrEqual(4097)
    expect(searched).toBeLessThanOrEqual(2 ** 22 + 1)
    expect(measureMs(() => openMedium(bytes))).toBeLessThan(loopMaxMs)
    expect(costMs > cheapMaxMs || isRefusedAtOnce(openMedium(bytes))).toBe(true)
  })
})
