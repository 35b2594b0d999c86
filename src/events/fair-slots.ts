import { KeyedCount } from '../queue/keyed-count.ts'

/** Shares a number of work slots between tenants. A tenant may take another slot while it has fewer than half as many as are free. So some are left for later tenants. */
export class FairSlots {
  readonly #max: number
  readonly #taken = new KeyedCount()

  constructor(max: number) {
    this.#max = max
  }

  get free(): number {
    return this.#max - this.#taken.total
  }

  isOpenTo(tenant: string): boolean {
    return this.#taken.of(tenant) < this.free / 2
  }

  /** Takes a slot, until `release`. */
  take(tenant: string): void {
    this.#taken.add(tenant, 1)
  }

  release(tenant: string): void {
    this.#taken.add(tenant, -1)
  }

  /** Tenants that hold slots. */
  tenants(): string[] {
    return this.#taken.keys()
  }
}
