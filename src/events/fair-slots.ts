/** Shares a number of work slots between tenants. */

/** A tenant may take another slot while it has fewer than half as many as are free. So some are left for later tenants. */
export class FairSlots {
  readonly #max: number
  readonly #taken = new Map<string, number>()
  #count = 0

  constructor(max: number) {
    this.#max = max
  }

  get free(): number {
    return this.#max - this.#count
  }

  isOpenTo(tenant: string): boolean {
    return (this.#taken.get(tenant) ?? 0) < this.free / 2
  }

  /** Takes a slot, until `release`. */
  take(tenant: string): void {
    this.#count++
    this.#taken.set(tenant, (this.#taken.get(tenant) ?? 0) + 1)
  }

  release(tenant: string): void {
    this.#count--
    const left = (this.#taken.get(tenant) ?? 0) - 1
    if (left > 0) this.#taken.set(tenant, left)
    else this.#taken.delete(tenant)
  }

  /** Tenants that hold slots. */
  tenants(): string[] {
    return [...this.#taken.keys()]
  }
}
