/** Random values of simulations, from a generator of the interval 0…1. */
export type Random = () => number

export const between = (random: Random, from: number, to: number): number => from + (to - from) * random()

export const pick = <T>(random: Random, values: readonly T[]): T =>
  values[Math.floor(random() * values.length)]!

/** A value of the standard normal distribution (Box and Muller 1958). */
export const normal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

/** Normal values of which each is like the one before it, with deviation 1. */
export function createDrift(random: Random, likeness: number): () => number {
  let state = normal(random)
  return () => {
    state = likeness * state + Math.sqrt(1 - likeness ** 2) * normal(random)
    return state
  }
}
