/** What the browser keeps for the pages. Where it keeps nothing, they work all the same. */

type Kind = 'localStorage' | 'sessionStorage'

interface Store {
  getItem(key: string): string | null
  setItem(key: string, text: string): void
  removeItem(key: string): void
}

const storeOf = (kind: Kind): Store => (globalThis as unknown as Record<Kind, Store>)[kind]

/** @returns `null` for nothing, also where storage is switched off */
export function readKept(kind: Kind, key: string): string | null {
  try {
    return storeOf(kind).getItem(key)
  } catch {
    return null
  }
}

/** The keys of all that is kept. */
export function listKept(kind: Kind): readonly string[] {
  try {
    return Object.keys(storeOf(kind))
  } catch {
    return []
  }
}

/** @param text `null` removes it */
export function keep(kind: Kind, key: string, text: string | null): void {
  try {
    if (text === null) storeOf(kind).removeItem(key)
    else storeOf(kind).setItem(key, text)
  } catch {
    // Storage is full or switched off.
  }
}
