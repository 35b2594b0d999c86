/** Booleans as query strings write them. */

const yes: ReadonlySet<string> = new Set(['1', 'true', 'yes', 'y', 't', 'on'])
const no: ReadonlySet<string> = new Set(['0', 'false', 'no', 'n', 'f', 'off'])

/** What a text says, in any case; `null` when it is no boolean. */
export function parseBoolean(text: string): boolean | null {
  const word = text.trim().toLowerCase()
  if (yes.has(word)) return true
  return no.has(word) ? false : null
}

/** A switch such as `with_analyses` or `total_omit`. One that is absent or badly written keeps its fallback. */
export const parseFlag = (search: URLSearchParams, name: string, fallback: boolean): boolean =>
  parseBoolean(search.getAll(name).at(-1) ?? '') ?? fallback
