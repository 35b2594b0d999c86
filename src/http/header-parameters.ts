/** Reads header fields and their parameters (RFC 2045, 8187). */

/** The media type of a header value without its parameters, in lower case. */
export const mediaType = (header: string | null | undefined): string | null =>
  header?.split(';')[0]?.trim().toLowerCase() || null

/** A parameter, quoted (`"a \"b\""`) or plain (`a`). */
const parameterForm = /;\s*([^=;\s]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;]*))/g

/** The parameters of a header value, by their names in lower case. */
export function parseParameters(value: string): Map<string, string> {
  const found = new Map<string, string>()
  // Other backslashes separate the folders of Windows.
  for (const [, key = '', quoted, plain = ''] of value.matchAll(parameterForm))
    found.set(key.toLowerCase(), quoted === undefined ? plain.trim() : quoted.replace(/\\(["\\])/g, '$1'))
  return found
}

/** Decodes a value of RFC 8187 (`UTF-8''a%20b`); `null` if it is not one. */
function decodeExtended(value: string | undefined): string | null {
  const [, charset, coded] = /^([\w-]+)'[^']*'(.+)$/.exec(value ?? '') ?? []
  if (!charset || !coded) return null
  const text = coded.replace(/%([0-9A-Fa-f]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
  try {
    return new TextDecoder(charset).decode(Uint8Array.from(text, (sign) => sign.charCodeAt(0)))
  } catch {
    return null
  }
}

/** A parameter in its extended form (`filename*`), or else in its plain one; `null` if it is not there. */
export const findParameter = (parameters: ReadonlyMap<string, string>, name: string): string | null =>
  decodeExtended(parameters.get(`${name}*`)) ?? parameters.get(name) ?? null

/** Header fields, by their names in lower case. Lines that begin with a blank continue the one before. */
export function parseFields(text: string): Map<string, string> {
  const fields = new Map<string, string>()
  for (const line of text.replace(/\r\n[ \t]+/g, ' ').split('\r\n')) {
    const colon = line.indexOf(':')
    if (colon > 0) fields.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim())
  }
  return fields
}
