/** Huffman tables for reading. */
import { damaged, done } from './picture'

/** Bits that are looked up at once. */
export const lookupBits = 10
/**
 * Layout of a table. An entry of the lookup is `value << 16 | run << 8 | 0x80 | bits` if it includes the bits of the value,
 * `symbol << 16 | bits` if not, and 0 for longer codes.
 */
const endsAt: usize = 4 << lookupBits // int32 [17]: end of the codes of each length, aligned to 16 bits
const offsetsAt: usize = endsAt + 17 * 4 // int32 [17]: what turns a code into its place among the symbols
const symbolsAt: usize = offsetsAt + 17 * 4 // uint8 [256]
const definedAt: usize = symbolsAt + 256
const tableBytes: usize = 4504

/** Four tables for DC, then four for AC. */
const tables = memory.data(8 * 4504, 16)

/** @param kind 0 for DC, 1 for AC */
@inline
export function tableAt(kind: i32, index: i32): usize {
  return tables + <usize>((kind << 2) | index) * tableBytes
}

@inline
export function isDefined(table: usize): bool {
  return load<i32>(table + definedAt) != 0
}

export function forgetTables(): void {
  for (let index = 0; index < 8; index++) store<i32>(tables + <usize>index * tableBytes + definedAt, 0)
}

/** The value of `size` bits (F.2.2.1). */
@inline
export function extend(bits: i32, size: i32): i32 {
  return bits < 1 << (size - 1) ? bits - (1 << size) + 1 : bits
}

function lookupEntry(index: i32, symbol: i32, length: i32, isDc: bool): u32 {
  const size = symbol & 15
  if (isDc ? symbol == 0 : false) return <u32>(0x80 | length)
  if (size == 0 || length + size > lookupBits) return <u32>((symbol << 16) | length)
  const bits = (index >> (lookupBits - length - size)) & ((1 << size) - 1)
  return <u32>((extend(bits, size) << 16) | ((symbol >> 4) << 8) | 0x80 | (length + size))
}

/**
 * Builds a table (annex C).
 * @param counts uint8 `[16]`, followed by the symbols
 */
export function buildTable(kind: i32, index: i32, counts: usize, total: i32): i32 {
  const table = tableAt(kind, index)
  const symbols = counts + 16
  memory.fill(table, 0, tableBytes)
  memory.copy(table + symbolsAt, symbols, total)
  let code = 0
  let place = 0
  for (let length = 1; length <= 16; length++) {
    const count = <i32>load<u8>(counts + length - 1)
    store<i32>(table + offsetsAt + (<usize>length << 2), place - code)
    for (let i = 0; i < count; i++, code++, place++) {
      const symbol = <i32>load<u8>(symbols + place)
      // No code has more than 15 bits of value in DC, and none consists of ones alone.
      if (kind == 0 && symbol > 15) return damaged
      if (code >= (1 << length) - 1) return damaged
      if (length > lookupBits) continue
      const first = code << (lookupBits - length)
      for (let entry = first; entry < first + (1 << (lookupBits - length)); entry++) {
        store<u32>(table + (<usize>entry << 2), lookupEntry(entry, symbol, length, kind == 0))
      }
    }
    store<i32>(table + endsAt + (<usize>length << 2), code << (16 - length))
    code <<= 1
  }
  store<i32>(table + definedAt, 1)
  return done
}

/** Finds a code that the lookup lacks in the next 16 bits: `symbol << 16 | bits`, 0 if there is none. */
export function findLong(table: usize, next: i32): u32 {
  for (let length = lookupBits + 1; length <= 16; length++) {
    if (next >= load<i32>(table + endsAt + (<usize>length << 2))) continue
    const place = (next >> (16 - length)) + load<i32>(table + offsetsAt + (<usize>length << 2))
    return (<u32>load<u8>(table + symbolsAt + (place & 255)) << 16) | length
  }
  return 0
}
