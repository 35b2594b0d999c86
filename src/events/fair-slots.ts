/** Slots of work that tenants share. */

/** A tenant may have a slot more while it has fewer than half as many as are free: the first comers leave some for others. */
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

  /** To be given back by `leave`. */
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

  /** Tenants with slots. */
  tenants(): string[] {
    return [...this.#taken.keys()]
  }
}
