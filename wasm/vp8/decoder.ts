/** A VP8 decoder. See the README for its interface. */
import { drawPicture, setColours } from '../clip/draw'
import { limitMemory, reserveInput } from '../clip/memory'
import { filterPicture } from './filter'
import {
  columns, damaged, endProbabilities, goldenFrom, isFullRange, isKey, isShown, otherFrom, readHeader, readTag, refreshesGolden,
  refreshesLast, refreshesOther, rows, tooLarge,
} from './header'
import { decodeMacroblocks, prepareSteps, startPartitions } from './macroblock'
import { readModes } from './modes'
import { chromaStride, extendPicture, Picture, pictureOf, picturesMax, reservePictures, stride } from './picture'

let pixelsMax = 1 << 24

/** The frame that is to be decoded. */
let at: usize = 0
let bytes = 0
let tag: f64 = 0

/** The last, the golden and the other reference, as pictures. */
const references = memory.data(3 * 4, 4)
/** Whether a key frame was decoded. */
let hasReferences = false
/** Size of the pictures that memory is reserved for. */
let reservedColumns = 0
let reservedRows = 0
let hasPicture = false

/** Prepares the decoder, once. @param pixels limit of a picture's size @param bytes limit of all memory */
export function open(pixels: i32, bytes: u32): void {
  pixelsMax = pixels
  limitMemory(bytes)
}

/** Returns where a frame of some bytes belongs; 0 if there is not enough memory. */
export function input(bytes: i32): usize {
  return reserveInput(bytes)
}

/** Before another position of the stream: drops all pictures. */
export function reset(): void {
  hasReferences = false
  hasPicture = false
}

/** Begins the frame at `input`. */
export function begin(size: i32, time: f64): void {
  at = reserveInput(size)
  bytes = size
  tag = time
}

@inline
function referenceOf(number: i32): usize {
  return load<usize>(references + <usize>(number << 2))
}

/** A picture that is no reference. */
function findFree(): Picture {
  let number = 0
  let picture = changetype<usize>(pictureOf(0))
  while (number < picturesMax - 1 && (picture == referenceOf(0) || picture == referenceOf(1) || picture == referenceOf(2)))
    picture = changetype<usize>(pictureOf(++number))
  return changetype<Picture>(picture)
}

/** Changes the references behind a frame (9.7). */
function endReferences(picture: Picture): void {
  const current = changetype<usize>(picture)
  const last = referenceOf(0)
  const golden = referenceOf(1)
  const other = referenceOf(2)
  if (goldenFrom != 0) store<usize>(references, goldenFrom == 1 ? last : other, 4)
  if (otherFrom != 0) store<usize>(references, otherFrom == 1 ? last : golden, 8)
  if (refreshesGolden) store<usize>(references, current, 4)
  if (refreshesOther) store<usize>(references, current, 8)
  if (refreshesLast) store<usize>(references, current)
}

/** Prepares for the size of a key frame. @returns 0 or a refusal */
function startKey(): i32 {
  if (columns == reservedColumns && rows == reservedRows) return 0
  hasReferences = false
  reservedColumns = 0
  if (<i64>((columns + 15) & ~15) * ((rows + 15) & ~15) > pixelsMax || !reservePictures(columns, rows)) return tooLarge
  reservedColumns = columns
  reservedRows = rows
  return 0
}

/** Decodes the frame. @returns 0 or a refusal */
export function decode(): i32 {
  hasPicture = false
  let refusal = readTag(at, bytes)
  if (refusal == 0 && isKey) refusal = startKey()
  if (refusal != 0) return refusal
  if (!isKey && !hasReferences) return damaged
  readHeader()
  readModes()
  refusal = startPartitions(at + <usize>bytes)
  if (refusal != 0) return refusal
  const picture = findFree()
  prepareSteps()
  decodeMacroblocks(picture, references)
  filterPicture(picture)
  extendPicture(picture)
  endReferences(picture)
  endProbabilities()
  hasReferences = true
  show(picture)
  return 0
}

/** Facts of a picture: int32 addresses of Y, U and V, strides of Y and of U and V, size, whether key and damaged, colours; its time. */
const facts = memory.data(12 * 4 + 8, 16)
/** BT.601. */
const matrix = 6

function show(picture: Picture): void {
  hasPicture = isShown
  store<usize>(facts, picture.luma)
  store<usize>(facts, picture.cb, 4)
  store<usize>(facts, picture.cr, 8)
  store<i32>(facts, stride, 12)
  store<i32>(facts, chromaStride, 16)
  store<i32>(facts, columns, 20)
  store<i32>(facts, rows, 24)
  store<i32>(facts, isKey, 28)
  store<i32>(facts, isFullRange, 36)
  store<i32>(facts, matrix, 40)
  store<f64>(facts, tag, 48)
}

/** Takes the picture of the frame. It may be read until `decode` or `reset`. @returns 0 if there is none */
export function next(): usize {
  const isThere = hasPicture
  hasPicture = false
  return isThere ? facts : 0
}

/** Size of the last frame, shown or not. @returns facts of which only the size counts; 0 before the first frame */
export function size(): usize {
  return load<i32>(facts, 20) == 0 ? 0 : facts
}

/** Sets how colours are converted: see `setColours`. */
export function colours(scale: i32, base: i32, vRed: i32, uBlue: i32, uGreen: i32, vGreen: i32): void {
  setColours(scale, base, vRed, uBlue, uGreen, vGreen)
}

/** Draws the picture that `next` gave, at a size that is not larger. @returns the address of its RGBA; 0 without memory */
export function draw(toWidth: i32, toHeight: i32): usize {
  return drawPicture(facts, toWidth, toHeight)
}
