const chunk = 0x8000

export function encodeBase64(bytes: Uint8Array): string {
  let binary = ''
  for (let at = 0; at < bytes.length; at += chunk) {
    binary += String.fromCharCode(...bytes.subarray(at, at + chunk))
  }
  return btoa(binary)
}

/** Decodes standard base64; line breaks and missing padding are tolerated. `null` when the text is anything else. */
export function decodeBase64(text: string): Uint8Array | null {
  const compact = text.replace(/[\r\n\t ]/g, '')
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(compact)) return null
  try {
    const binary = atob(compact)
    const bytes = new Uint8Array(binary.length)
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i)
    return bytes
  } catch {
    return null
  }
}
