/** Tables of ITU-T H.264 that more than one file needs. */

/** Place of coefficient k of a 4 x 4 block (Figure 6-16), counted by columns: blocks are stored transposed. */
export const scan4: usize = memory.data<u8>([0, 4, 1, 2, 5, 8, 12, 9, 6, 3, 7, 10, 13, 14, 11, 15])

/** The same of an 8 x 8 block. */
export const scan8: usize = memory.data<u8>([
  0, 8, 1, 2, 9, 16, 24, 17, 10, 3, 4, 11, 18, 25, 32, 40, 33, 26, 19, 12, 5, 6, 13, 20, 27, 34, 41, 48, 56, 49, 42, 35,
  28, 21, 14, 7, 15, 22, 29, 36, 43, 50, 57, 58, 51, 44, 37, 30, 23, 31, 38, 45, 52, 59, 60, 53, 46, 39, 47, 54, 61, 62, 55, 63,
])

/** Order of DC coefficients and of chroma DC: as they come. */
export const scanDc: usize = memory.data<u8>([0, 1, 2, 3])

/** Chroma quantiser by luma quantiser with offset (Table 8-15). */
export const chromaQp: usize = memory.data<u8>([
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
  29, 30, 31, 32, 32, 33, 34, 34, 35, 35, 36, 36, 37, 37, 37, 38, 38, 38, 39, 39, 39, 39,
])

/** Place of the 4 x 4 block with index k (Figure 6-10), as row * 4 + column; a permutation that is its own inverse. */
export const blockPlace: usize = memory.data<u8>([0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15])
