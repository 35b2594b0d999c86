/**
 * Pictures, and what is known of each macroblock. Macroblocks are numbered with one column to the left and one row above that
 * are never decoded, so that neighbours need no test of the picture's edges.
 */
import { reserveForSequence } from '../clip/memory'
import { edge, repeatEdges } from '../clip/planes'

@unmanaged
export class Picture {
  luma: usize
  cb: usize
  cr: usize
}

/** The current one and three references. */
export const picturesMax = 4
const picturesAt = memory.data(picturesMax * 16, 16)

@inline
export function pictureOf(number: i32): Picture {
  return changetype<Picture>(picturesAt + <usize>(number << 4))
}

@unmanaged
export class Macroblock {
  mode: u8
  chromaMode: u8
  /** 0 for none, 1 for the last frame, 2 for the golden and 3 for the other one. */
  reference: u8
  /** Lasts until a frame changes it. */
  segment: u8
  /** Which blocks move together, by the tree of `splits`. */
  split: u8
  /** Whether there are no tokens. */
  isSkipped: u8
  /** Whether its inner edges are filtered. */
  isFilled: u8
}

/** Behind the fields: motion of blocks, int16 y and x of each as one int32, in quarters of a pixel; their modes. */
const motionAt = 16
const modesAt = 80
const macroblockBytes = 96

@inline
export function motionOf(macroblock: Macroblock): usize {
  return changetype<usize>(macroblock) + motionAt
}

@inline
export function modesOf(macroblock: Macroblock): usize {
  return changetype<usize>(macroblock) + modesAt
}

/** In macroblocks. */
export let width = 0
export let height = 0
export let stride = 0
export let chromaStride = 0
let macroblocks: usize = 0
/** Whether blocks of tokens above are not empty: of Y 4, U 2, V 2, Y2 1. uint8 [width][9] */
export let contexts: usize = 0

@inline
export function macroblockAt(x: i32, y: i32): Macroblock {
  return changetype<Macroblock>(macroblocks + <usize>((y + 1) * (width + 1) + x + 1) * macroblockBytes)
}

@inline
export function above(macroblock: Macroblock): Macroblock {
  return changetype<Macroblock>(changetype<usize>(macroblock) - <usize>(width + 1) * macroblockBytes)
}

@inline
export function before(macroblock: Macroblock): Macroblock {
  return changetype<Macroblock>(changetype<usize>(macroblock) - macroblockBytes)
}

/** Reserves memory for pictures of a size in pixels. @returns whether there is enough */
export function reservePictures(columns: i32, rows: i32): bool {
  width = (columns + 15) >> 4
  height = (rows + 15) >> 4
  stride = width * 16 + 2 * edge
  chromaStride = stride >> 1
  const lumaBytes = <u64>stride * <u64>(height * 16 + 2 * edge) + 64
  const chromaBytes = <u64>chromaStride * <u64>(height * 8 + edge) + 64
  const infoBytes = <u64>((width + 1) * (height + 1)) * macroblockBytes + <u64>(width * 9)
  let at = reserveForSequence(picturesMax * (lumaBytes + 2 * chromaBytes) + infoBytes + 64)
  if (at == 0) return false
  const chromaBefore = <usize>((edge >> 1) * chromaStride + (edge >> 1))
  for (let number = 0; number < picturesMax; number++) {
    const picture = pictureOf(number)
    picture.luma = at + <usize>(edge * stride + edge)
    at += <usize>lumaBytes
    picture.cb = at + chromaBefore
    at += <usize>chromaBytes
    picture.cr = at + chromaBefore
    at += <usize>chromaBytes
  }
  macroblocks = (at + 15) & ~15
  contexts = macroblocks + <usize>((width + 1) * (height + 1)) * macroblockBytes
  memory.fill(macroblocks, 0, <usize>infoBytes)
  return true
}

function startPlane(plane: usize, planeStride: i32, columns: i32, lines: i32): void {
  memory.fill(plane - planeStride - 1, 127, columns + 16)
  for (let y = 0; y < lines; y++) store<u8>(plane + <usize>(y * planeStride) - 1, 129)
}

/** Writes what intra prediction finds around the picture (12.2). */
export function startPicture(picture: Picture): void {
  startPlane(picture.luma, stride, width * 16, height * 16)
  startPlane(picture.cb, chromaStride, width * 8, height * 8)
  startPlane(picture.cr, chromaStride, width * 8, height * 8)
}

/** Repeats the pixels at the edges, to which motion may point. */
export function extendPicture(picture: Picture): void {
  repeatEdges(picture.luma, stride, width * 16, height * 16, edge)
  repeatEdges(picture.cb, chromaStride, width * 8, height * 8, edge >> 1)
  repeatEdges(picture.cr, chromaStride, width * 8, height * 8, edge >> 1)
}
