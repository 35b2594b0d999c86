/** Removes from vectors what a basis explains (modified Gram–Schmidt). All vectors have the same length: a value for each frame, or two for each point. */
export class Nuisance {
  /** Orthonormal. */
  readonly basis: Float64Array[] = []

  /** What the basis explains already adds nothing to it. */
  add(column: Float64Array): this {
    const before = Math.sqrt(dot(column, column))
    const rest = this.remove(this.remove(column))
    const length = Math.sqrt(dot(rest, rest))
    if (length > 1e-6 * before) this.basis.push(rest.map((value) => value / length))
    return this
  }

  copy(): Nuisance {
    const other = new Nuisance()
    other.basis.push(...this.basis)
    return other
  }

  remove(vector: Float64Array): Float64Array {
    const rest = vector.slice()
    for (const base of this.basis) {
      const share = dot(rest, base)
      for (let i = 0; i < rest.length; i++) rest[i]! -= share * base[i]!
    }
    return rest
  }
}

export function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}
