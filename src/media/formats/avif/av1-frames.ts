/** Units of AV1 data with a frame: its header alone, or all of it (AV1 bitstream specification, 6.2.2). */
const frameHeader = 3
const frame = 6

/** Counts the frames of AV1 data: each is decoded, whether it is shown or not. */
export function countFrames(data: Uint8Array): number {
  let frames = 0
  for (let at = 0; at < data.length; ) {
    const head = data[at]!
    const kind = (head >> 3) & 15
    if (kind === frameHeader || kind === frame) frames++
    const [isExtended, hasSize] = [(head & 4) > 0, (head & 2) > 0]
    if (!hasSize) break
    at += isExtended ? 2 : 1
    let size = 0
    for (let bits = 0, byte = 128; byte > 127 && bits < 56; bits += 7) {
      byte = data[at++] ?? 0
      size += (byte & 127) * 2 ** bits
    }
    at += size
  }
  return frames
}
