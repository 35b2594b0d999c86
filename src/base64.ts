/** Bytes of one call: more arguments overflow the stack. */
const bytesAtOnce = 0x8000

export function encodeBase64(bytes: Uint8Array): string {
  let binary = ''
  for (let at = 0; at < bytes.length; at += bytesAtOnce) {
    binary += String.fromCharCode(...bytes.subarray(at, at + bytesAtOnce))
  }
  return btoa(binary)
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
