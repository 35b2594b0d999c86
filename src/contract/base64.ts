const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const space = 64
const padding = 65
const foreign = 66

/** The meaning of each byte: six bits, or one of the above. */
const meanings = new Uint8Array(256).fill(foreign)
for (const [value, sign] of [...alphabet].entries()) meanings[sign.charCodeAt(0)] = value
for (const sign of '\r\n\t ') meanings[sign.charCodeAt(0)] = space
meanings['='.charCodeAt(0)] = padding

/** Decodes base64 piece by piece, in place: the decoded bytes are fewer than the characters. */
class Base64Reader {
  readonly #out: Uint8Array
  #length = 0
  /** Characters since the last complete group of four, and their bits. */
  #signs = 0
  #bits = 0
  #paddings = 0
  #isBroken = false

  constructor(place: Uint8Array) {
    this.#out = place
  }

  read(coded: Uint8Array): void {
    for (const byte of coded) {
      const meaning = meanings[byte]!
      if (meaning < space) this.#take(meaning)
      else if (meaning === padding) this.#paddings++
      else if (meaning === foreign) this.#isBroken = true
    }
  }

  #take(bits: number): void {
    if (this.#paddings > 0) this.#isBroken = true
    this.#bits = (this.#bits << 6) | bits
    this.#signs++
    if (this.#signs < 4) return
    this.#put(this.#bits, 3)
    this.#signs = 0
    this.#bits = 0
  }

  #put(bits: number, bytes: number): void {
    for (let i = 0; i < bytes; i++) this.#out[this.#length++] = (bits >> (16 - 8 * i)) & 0xff
  }

  end(): Uint8Array | null {
    const isPadded = this.#paddings === 0 || (this.#paddings < 3 && this.#signs + this.#paddings === 4)
    if (this.#isBroken || !isPadded || this.#signs === 1) return null
    if (this.#signs > 0) this.#put(this.#bits << (6 * (4 - this.#signs)), this.#signs - 1)
    return this.#out.subarray(0, this.#length)
  }
}

/** Takes 6 ms at most, as long as the code is cold. */
const pieceBytes = 2 ** 16

/**
 * Decodes standard base64 in place; white space and missing padding are tolerated.
 * @param coded overwritten
 * @param pause awaited between pieces, to yield to the event loop
 * @returns a view of the same memory, `null` if the text is not base64
 */
export async function decodeBase64(
  coded: Uint8Array,
  pause: () => Promise<void>,
): Promise<Uint8Array | null> {
  const reader = new Base64Reader(coded)
  for (let at = 0; at < coded.length; at += pieceBytes) {
    reader.read(coded.subarray(at, at + pieceBytes))
    await pause()
  }
  return reader.end()
}
