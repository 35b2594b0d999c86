/** What the browser keeps for the console. Where it keeps nothing, the console works all the same. */

type Kind = 'localStorage' | 'sessionStorage'

/** @returns `null` for nothing, also where storage is switched off */
export function readKept(kind: Kind, key: string): string | null {
  try {
    return window[kind].getItem(key)
  } catch {
    return null
  }
}

/** The keys of all that is kept. */
export function listKept(kind: Kind): readonly string[] {
  try {
    return Object.keys(window[kind])
  } catch {
    return []
  }
}

/** @param text `null` removes it */
export function keep(kind: Kind, key: string, text: string | null): void {
  try {
    if (text === null) window[kind].removeItem(key)
    else window[kind].setItem(key, text)
  } catch {
    // Storage is full or switched off.
  }
}
