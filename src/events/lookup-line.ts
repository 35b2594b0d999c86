/** Limits the concurrent DNS lookups of webhook hosts, and shares them between tenants. */
import { AppError } from '../errors.ts'
import { FairSlots } from './fair-slots.ts'

interface LookupLineOptions {
  /** Resolves a host name to all its IP addresses, within a time limit of its own. */
  resolveHost(name: string): Promise<string[]>
  atOnceMax: number
  /** Milliseconds that a lookup may wait for its slot. */
  waitMaxMs: number
}

interface Waiting {
  tenant: string
  begin(): void
}

/** A tenant with unresponsive name servers waits for its own lookups; those of others start at once. */
export class LookupLine {
  readonly #options: LookupLineOptions
  readonly #slots: FairSlots
  readonly #waiting = new Set<Waiting>()

  constructor(options: LookupLineOptions) {
    this.#options = options
    this.#slots = new FairSlots(options.atOnceMax)
  }

  /** @throws {AppError} `overloaded` if no slot becomes free in time; otherwise as the lookup itself */
  async resolve(tenant: string, name: string): Promise<string[]> {
    await this.#waitForSlot(tenant)
    try {
      return await this.#options.resolveHost(name)
    } finally {
      this.#slots.release(tenant)
      this.#startWaiting()
    }
  }

  #waitForSlot(tenant: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.#waiting.delete(waiting)
        reject(new AppError('overloaded', 'Too many webhook hosts are being looked up'))
      }
      const timer = setTimeout(giveUp, this.#options.waitMaxMs)
      const begin = () => {
        clearTimeout(timer)
        this.#waiting.delete(waiting)
        this.#slots.take(tenant)
        resolve()
      }
      const waiting: Waiting = { tenant, begin }
      this.#waiting.add(waiting)
      this.#startWaiting()
    })
  }

  #startWaiting(): void {
    for (const { tenant, begin } of this.#waiting) if (this.#slots.isOpenTo(tenant)) begin()
  }
}
