const letters = new TextEncoder().encode('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')
const padding = '='.charCodeAt(0)
const ascii = new TextDecoder()

/** By a table: `btoa` takes a string, and to make one of a picture's bytes takes ten times as long. */
export function encodeBase64(bytes: Uint8Array): string {
  const text = new Uint8Array(Math.ceil(bytes.length / 3) * 4)
  for (let from = 0, to = 0; from < bytes.length; from += 3, to += 4) {
    // Missing bytes are undefined, which is 0 here.
    const bits = (bytes[from]! << 16) | (bytes[from + 1]! << 8) | bytes[from + 2]!
    text[to] = letters[bits >> 18]!
    text[to + 1] = letters[(bits >> 12) & 63]!
    text[to + 2] = letters[(bits >> 6) & 63]!
    text[to + 3] = letters[bits & 63]!
  }
  return ascii.decode(text.fill(padding, Math.ceil((bytes.length * 4) / 3)))
}

/**
 * Decodes base64 of our own; text that a caller sent is decoded by `contract/base64.ts`.
 * @throws {DOMException} for other text
 */
export function bytesFromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text)
  const bytes = new Uint8Array(binary.length)
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i)
  return bytes
}
