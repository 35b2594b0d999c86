/** Works off items of a list, of which some may fail. */

export interface WorkOffRules {
  /** Told why an item failed. */
  onError(error: unknown): void
  /** Asked after each failure; rejects if it is not the item's: then the others would fail too, each after its time limit. */
  check(error: unknown): Promise<unknown>
}

/**
 * Does work for items together or, if that fails, for each by itself: one that fails stops no other.
 * @returns the items that failed
 * @throws what `check` throws
 * @example
 * ```ts
 * import { workOff } from './work-off.ts'
 *
 * const done: number[] = []
 * const work = async (items: readonly number[]) => {
 *   if (items.includes(2)) throw new Error('2 is damaged')
 *   done.push(...items)
 * }
 * await workOff([1, 2, 3], work, { onError() {}, check: async () => {} }) // → [2]
 * done // → [1, 3]
 * ```
 */
export async function workOff<T>(
  items: readonly T[],
  work: (items: readonly T[]) => Promise<void>,
  rules: WorkOffRules,
): Promise<T[]> {
  try {
    await work(items)
    return []
  } catch (error) {
    if (items.length === 1) {
      await rules.check(error)
      rules.onError(error)
      return [...items]
    }
  }
  const failed: T[] = []
  for (const item of items) failed.push(...(await workOff([item], work, rules)))
  return failed
}
