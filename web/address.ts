/** Parts of addresses. */

/** A part of an address without its percent signs; as it is where they are wrong. */
export function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
