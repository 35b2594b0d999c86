/** A value that JSON can hold. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json | undefined }

/** What JSON writes otherwise than it stands in a text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are the ones that JSON escapes
const escaped = /["\\\u0000-\u001f\ud800-\udfff]/

const quoted = (text: string): string => (escaped.test(text) ? JSON.stringify(text) : `"${text}"`)

function spacedObject(value: { readonly [key: string]: Json | undefined }): string {
  let text = ''
  for (const key of Object.keys(value)) {
    const member = value[key]
    if (member === undefined) continue
    text += `${text === '' ? '' : ', '}${quoted(key)}: ${spacedJson(member)}`
  }
  return `{${text}}`
}

/**
 * JSON with a space after each comma and colon and the keys in the order they were set. Clients in the field pick values
 * out of the text by these spaces.
 */
export function spacedJson(value: Json): string {
  if (typeof value === 'string') return quoted(value)
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (!Array.isArray(value)) return spacedObject(value as { readonly [key: string]: Json | undefined })
  let text = ''
  for (const item of value) text += `${text === '' ? '' : ', '}${spacedJson(item)}`
  return `[${text}]`
}
