/** Tables of ITU-T T.81, annex K, and the coded order of coefficients. */

/** Places (row × 8 + column) of the coefficients in coded order (figure A.6). */
export const zigzagPlaces: readonly number[] = Array.from({ length: 64 }, (_, place) => place).sort(
  (p, q) => {
    const [dp, dq] = [(p >> 3) + (p & 7), (q >> 3) + (q & 7)]
    // Diagonals run upwards and downwards in turns.
    return dp === dq ? (dp % 2 === 0 ? q - p : p - q) : dp - dq
  },
)

/** Tables K.1 and K.2 in rows: quantisation of brightness and colour. */
export const lumaSteps: readonly number[] = [
  16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22,
  29, 51, 87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103,
  121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99,
]
export const chromaSteps: readonly number[] = [
  17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99, 47, 66, 99,
  99, 99, 99, 99, 99,
].concat(new Array(32).fill(99))

/** A Huffman table: number of codes of 1…16 bits, and the values in order of their codes. */
export interface HuffmanTable {
  counts: readonly number[]
  values: readonly number[]
}

const fromHex = (hex: string): number[] => hex.match(/../g)!.map((byte) => Number.parseInt(byte, 16))

/** Tables K.3 to K.6. */
export const lumaDc: HuffmanTable = {
  counts: fromHex('00010501010101010100000000000000'),
  values: fromHex('000102030405060708090a0b'),
}
export const chromaDc: HuffmanTable = {
  counts: fromHex('00030101010101010101010000000000'),
  values: fromHex('000102030405060708090a0b'),
}
export const lumaAc: HuffmanTable = {
  counts: fromHex('0002010303020403050504040000017d'),
  values: fromHex(
    '01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282090a161718191a25262728292a3435363738393a' +
      '434445464748494a535455565758595a636465666768696a737475767778797a838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aa' +
      'b2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9fa',
  ),
}
export const chromaAc: HuffmanTable = {
  counts: fromHex('00020102040403040705040400010277'),
  values: fromHex(
    '000102031104052131061241510761711322328108144291a1b1c109233352f0156272d10a162434e125f11718191a262728292a35363738393a' +
      '434445464748494a535455565758595a636465666768696a737475767778797a82838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aa' +
      'b2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae2e3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9fa',
  ),
}

/** The codes of a table in order of its values (annex C): value, code and number of bits. */
export function listCodes({ counts, values }: HuffmanTable): { value: number; code: number; bits: number }[] {
  let code = 0
  let index = 0
  return counts.flatMap((count, shorter) => {
    const codes = Array.from({ length: count }, () => ({
      value: values[index++]!,
      code: code++,
      bits: shorter + 1,
    }))
    code *= 2
    return codes
  })
}
