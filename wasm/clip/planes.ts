/** Planes of pictures with edges around them, to which motion may point. */

/** Pixels around a luma plane; half of it around chroma. */
export const edge = 32

function repeatSides(plane: usize, planeStride: i32, columns: i32, rows: i32, count: i32): void {
  for (let y = 0; y < rows; y++) {
    const row = plane + <usize>(y * planeStride)
    const left = v128.load8_splat(row)
    const right = v128.load8_splat(row + columns - 1)
    v128.store(row - 16, left)
    v128.store(row + columns, right)
    if (count == 16) continue
    v128.store(row - 32, left)
    v128.store(row + columns, right, 16)
  }
}

/** Repeats the pixels at the edges of a plane, `count` times in each direction. */
export function repeatEdges(plane: usize, planeStride: i32, columns: i32, rows: i32, count: i32): void {
  repeatSides(plane, planeStride, columns, rows, count)
  const first = plane - count
  const last = first + <usize>((rows - 1) * planeStride)
  for (let y = 1; y <= count; y++) {
    memory.copy(first - <usize>(y * planeStride), first, planeStride)
    memory.copy(last + <usize>(y * planeStride), last, planeStride)
  }
}

/** Copies a block of 16, 8 or 4 columns. */
export function copyBlock(columns: i32, to: usize, toStride: i32, from: usize, fromStride: i32, count: i32): void {
  if (columns == 16)
    for (let y = 0; y < count; y++) {
      v128.store(to, v128.load(from))
      to += toStride
      from += fromStride
    }
  else if (columns == 8)
    for (let y = 0; y < count; y++) {
      store<u64>(to, load<u64>(from))
      to += toStride
      from += fromStride
    }
  else
    for (let y = 0; y < count; y++) {
      store<u32>(to, load<u32>(from))
      to += toStride
      from += fromStride
    }
}

/** Keeps a position near the picture: beyond, all pixels are those of the edge. */
@inline
export function limit(at: i32, size: i32, most: i32): i32 {
  return min(max(at, -size - 3), most + 2)
}
