/** Tokens: the coefficients of blocks (13). */
import { readBool, readFlag } from './bool'
import { coefficients } from './header'

/** Where the probabilities of each position are, which belong to bands. */
const bands = memory.data<u16>([0, 33, 66, 99, 198, 132, 165, 198, 198, 198, 198, 198, 198, 198, 198, 231, 0])
/** Place of each coefficient, in bytes. */
const places = memory.data<u8>([0, 2, 8, 16, 10, 4, 6, 12, 18, 24, 26, 20, 14, 22, 28, 30])

/** Probabilities of further bits, up to 0: of 7, 11, 19, 35 and 67 and more, each at 12 bytes. */
const extras = memory.data<u8>([
  165, 145, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 173, 148, 140, 0, 0, 0, 0, 0, 0, 0, 0, 0, 176, 155, 140, 135, 0, 0, 0, 0, 0, 0, 0, 0,
  180, 157, 141, 134, 130, 0, 0, 0, 0, 0, 0, 0, 254, 254, 243, 230, 196, 177, 153, 140, 133, 130, 129, 0,
])

function readExtra(kind: i32): i32 {
  let at = extras + <usize>(kind * 12)
  let extra = 0
  for (let probability = load<u8>(at); probability != 0; probability = load<u8>(++at))
    extra = (extra << 1) | <i32>readBool(probability)
  return extra + 3 + (4 << kind)
}

/** A value above 1. */
function readLarge(at: usize): i32 {
  if (!readBool(load<u8>(at, 3))) {
    if (!readBool(load<u8>(at, 4))) return 2
    return 3 + <i32>readBool(load<u8>(at, 5))
  }
  if (!readBool(load<u8>(at, 6))) return readBool(load<u8>(at, 7)) ? readExtra(0) : 5 + <i32>readBool(159)
  const isHigh = readBool(load<u8>(at, 8))
  const kind = isHigh ? 3 : 1
  return readExtra(kind + <i32>readBool(load<u8>(at + 9 + <usize>isHigh)))
}

/**
 * Reads a block.
 * @param kind 0 for Y whose DC is in Y2, 1 for Y2, 2 for chroma, 3 for Y
 * @param context how many of the blocks above and to the left are not empty
 * @param to `int16 [16]`, scaled
 * @returns the position behind the last token; 0 for none
 */
export function readBlock(kind: i32, context: i32, dcStep: i32, acStep: i32, to: usize): i32 {
  const all = coefficients + <usize>(kind * 264)
  let position: usize = kind == 0 ? 1 : 0
  let at = all + <usize>load<u16>(bands + (position << 1)) + <usize>(context * 11)
  if (!readBool(load<u8>(at))) return 0
  while (position < 16) {
    while (!readBool(load<u8>(at, 1))) {
      if (++position == 16) return 16
      at = all + <usize>load<u16>(bands + (position << 1))
    }
    let value = 1
    let next: usize = 11
    if (readBool(load<u8>(at, 2))) {
      value = readLarge(at)
      next = 22
    }
    value *= position == 0 ? dcStep : acStep
    store<i16>(to + <usize>load<u8>(places + position), <i16>(readFlag() ? -value : value))
    at = all + <usize>load<u16>(bands + (++position << 1)) + next
    if (position < 16 && !readBool(load<u8>(at))) break
  }
  return <i32>position
}
