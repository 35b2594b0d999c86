/** A value that JSON can hold. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json | undefined }

/**
 * JSON with a space after each comma and colon and the keys in the order they were set. Clients in the field pick values
 * out of the text by these spaces.
 */
export function spacedJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(spacedJson).join(', ')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const members = Object.entries(value as Record<string, Json | undefined>)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => `${JSON.stringify(key)}: ${spacedJson(member as Json)}`)
  return `{${members.join(', ')}}`
}
