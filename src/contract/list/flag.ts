/** Booleans in query strings. */

const yes: ReadonlySet<string> = new Set(['1', 'true', 'yes', 'y', 't', 'on'])
const no: ReadonlySet<string> = new Set(['0', 'false', 'no', 'n', 'f', 'off'])

/** Parses a boolean, ignoring case; `null` if the text is not a boolean. */
export function parseBoolean(text: string): boolean | null {
  const word = text.trim().toLowerCase()
  if (yes.has(word)) return true
  return no.has(word) ? false : null
}

/** Reads a switch such as `with_analyses` or `total_omit`; `fallback` if it is missing or malformed. */
export const parseFlag = (search: URLSearchParams, name: string, fallback: boolean): boolean =>
  parseBoolean(search.getAll(name).at(-1) ?? '') ?? fallback
