/** A value that JSON can hold. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json | undefined }

/** Lines and their indentation become what they separate; a text holds no line end as it is. */
const onOneLine = (value: Json): string =>
  JSON.stringify(value, null, 1).replace(/,\n */g, ', ').replace(/\n */g, '')

/**
 * JSON with a space after each comma and colon and the keys in the order they were set. Clients in the field pick values
 * out of the text by these spaces.
 *
 * @param levels how deep it is put together of parts: as a whole, what is nested deeply would pass through a text many
 * times as long. By default the items of a list are parts.
 */
export function spacedJson(value: Json, levels = 2): string {
  if (levels === 0 || value === null || typeof value !== 'object') return onOneLine(value)
  if (Array.isArray(value)) return `[${value.map((item) => spacedJson(item, levels - 1)).join(', ')}]`
  const members = Object.entries(value as Record<string, Json | undefined>)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => `${JSON.stringify(key)}: ${spacedJson(member as Json, levels - 1)}`)
  return `{${members.join(', ')}}`
}
