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
 * Decodes short base64 of our own; text that a caller sent is decoded by `contract/base64.ts`.
 * @throws {DOMException} for other text
 */
export const bytesFromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
