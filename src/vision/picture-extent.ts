/** Finds artificial borders around a picture. */

import {
  type CountBorderLines,
  countCopiedLines,
  countLinesBeyondEdge,
  countStreakedLines,
  type Lines,
} from './border-lines.ts'
import { presenceMin } from './clip/track.ts'
import { type DetectedFace, moveFace } from './face.ts'
import { type FaceMesh, moveMesh } from './facemesh.ts'
import type { Box } from './geometry.ts'
import type { Pyramid } from './pyramid.ts'

/** Minimum longer side of the pyramid level in which borders are searched (at most twice as long): fast, and fine enough for edges. */
const lookSide = 160

/** Brightness of a picture `[height,width]`, 0…255. */
interface Plane {
  width: number
  height: number
  grey: Float32Array
  /** Pixels of the picture per pixel of the plane. */
  step: number
}

function greyPlane(pyramid: Pyramid): Plane {
  const { image, step } = pyramid.nearest(Math.max(pyramid.width, pyramid.height) / lookSide)
  const { width, height, data } = image
  const pixels = new Uint32Array(data.buffer, data.byteOffset, width * height)
  const grey = new Float32Array(width * height)
  for (let i = 0; i < grey.length; i++) {
    const pixel = pixels[i]!
    grey[i] = ((pixel & 255) + ((pixel >> 7) & 510) + ((pixel >> 16) & 255)) / 4
  }
  return { width, height, grey, step }
}

const sides = ['left', 'top', 'right', 'bottom'] as const
type Side = (typeof sides)[number]

/** The remaining part of a plane in whole rows and columns; `right` and `bottom` are exclusive. */
type Extent = Record<Side, number>

function linesFrom(side: Side, { width, grey }: Plane, { left, top, right, bottom }: Extent): Lines {
  const isAcross = side === 'top' || side === 'bottom'
  const [depth, length] = isAcross ? [bottom - top, right - left] : [right - left, bottom - top]
  const [step, along] = isAcross ? [width, 1] : [1, width]
  const isFar = side === 'right' || side === 'bottom'
  const start = top * width + left + (isFar ? (depth - 1) * step : 0)
  const inward = isFar ? -step : step
  return { depth, length, grey, start, inward, along }
}

/** How far a border may reach into the box of the face, as a share of its length: boxes are not exact. */
const withinFace = 0.1
/** How far the mesh may lie inside the box, likewise: more is a mesh of something else. */
const meshWithinFace = 0.3

/** A search on all four sides. */
interface Pass {
  count: CountBorderLines
  /** Whether it finds copies of other lines. */
  isCopy: boolean
  /** Whether it counts only if it finds something on each side. */
  onAllSides: boolean
}

const copies: Pass = { count: countCopiedLines, isCopy: true, onAllSides: false }
const streaks: Pass = { count: countStreakedLines, isCopy: true, onAllSides: true }
const edges: Pass = { count: countLinesBeyondEdge, isCopy: false, onAllSides: false }

/**
 * One pass after the other: borders can be nested. Edges are searched only once, because inside a border the picture has
 * edges of its own. Each pass sees the picture that the one before left at a resolution of its own: in a copy that is coarser than
 * that of the picture alone, contours look like edges.
 */
const passes: readonly Pass[] = [copies, copies, streaks, edges, copies, copies]

const clamp = (value: number, min: number, max: number): number => Math.min(max, Math.max(min, value))

/**
 * The box of a face, and that of its mesh. Detectors take copied hair for a part of the face, so a border may reach up to the mesh
 * where lines show that there is one.
 */
interface Place {
  box: Extent
  mesh: Extent
  /** Sides on which copied lines were removed before. */
  copied: ReadonlySet<Side>
}

/** Moves one side of the extent inward, past the border. */
function moveInward(
  { count, isCopy }: Pass,
  side: Side,
  plane: Plane,
  extent: Extent,
  { box: face, mesh, copied }: Place,
): number {
  const isAcross = side === 'top' || side === 'bottom'
  const isFar = side === 'right' || side === 'bottom'
  const lines = linesFrom(side, plane, extent)
  const [start, end] = isAcross ? [face.top, face.bottom] : [face.left, face.right]
  const upTo = (place: number) => (isFar ? extent[side] - place : place - extent[side])
  const reach = upTo(face[side])
  const isSure = isCopy || copied.has(side)
  const deeper = isSure ? clamp(upTo(mesh[side]) - reach, 0, (end - start) * meshWithinFace) : 0
  const most = reach + deeper + (end - start) * withinFace
  // The searches also read two lines further in.
  const linesMax = clamp(Math.floor(most), 0, Math.max(0, lines.depth - 3))
  const [from, to, first] = isAcross
    ? [face.left, face.right, extent.left]
    : [face.top, face.bottom, extent.top]
  const band = {
    from: clamp(Math.floor(from) - first, 0, lines.length),
    to: clamp(Math.ceil(to) - first, 0, lines.length),
  }
  const removed = count(lines, linesMax, band)
  return extent[side] + (isFar ? -removed : removed)
}

/** One pass over the four sides of a picture. */
function searchSides(pass: Pass, plane: Plane, { width, height, grid }: Pyramid, place: Place): Box {
  const { step } = plane
  let extent: Extent = { left: 0, top: 0, right: plane.width, bottom: plane.height }
  for (const side of sides) {
    const end = moveInward(pass, side, plane, extent, place)
    if (pass.onAllSides && end === extent[side]) return { x: 0, y: 0, width, height }
    extent = { ...extent, [side]: end }
  }
  // Rounding must not move the end of the picture.
  const right = extent.right === plane.width ? width : extent.right * step
  const bottom = extent.bottom === plane.height ? height : extent.bottom * step
  const { x: left, width: across } = toWhole(extent.left * step, right, width, grid)
  const { x: top, width: down } = toWhole(extent.top * step, bottom, height, grid)
  return { x: left, y: top, width: across, height: down }
}

const toExtent = ({ x, y, width, height }: Box): Extent => ({
  left: x,
  top: y,
  right: x + width,
  bottom: y + height,
})

function boundMesh({ points }: FaceMesh): Extent {
  const [across, down] = [points.map(({ x }) => x), points.map(({ y }) => y)]
  return {
    left: Math.min(...across),
    top: Math.min(...down),
    right: Math.max(...across),
    bottom: Math.max(...down),
  }
}

/** An extent in pixels of a part's plane. */
const toPlane = ({ left, top, right, bottom }: Extent, { x, y }: Part, { step }: Plane): Extent => ({
  left: (left - x) / step,
  top: (top - y) / step,
  right: (right - x) / step,
  bottom: (bottom - y) / step,
})

/** A part of a picture, as a picture of its own, and the place of its upper left corner. */
interface Part {
  own: Pyramid
  x: number
  y: number
  /** Sides on which lines were removed, and those on which enough of them were copies. */
  removed: ReadonlySet<Side>
  copied: ReadonlySet<Side>
}

/** Copied lines that are less than this share of a side are no border that anybody drew: stills of clips often have one or two. */
const copiedShareMin = 0.02

/** The sides on which a box ends before its picture does, by more than a share of the picture's side. */
function openSides({ x, y, ...box }: Box, { width, height }: Pyramid, share: number): Side[] {
  const rims: Extent = { left: x, top: y, right: width - x - box.width, bottom: height - y - box.height }
  return sides.filter((side) => rims[side] > share * (side === 'left' || side === 'right' ? width : height))
}

/** How far the box of a face may stick out of its picture, as a share of its sides, before it is taken for a wrong one. */
const outsideMax = 0.05

/**
 * Whether a border may have moved the box of a face: it surrounded the picture, there were bars on two opposite sides, or the box
 * reaches into it. What only looks like an edge in a photo is rarely on all sides.
 */
function hasMovedBox({ own, x, y, removed, copied }: Part, box: Box): boolean {
  const [across, down] = [box.width * outsideMax, box.height * outsideMax]
  const outside: Record<Side, boolean> = {
    left: box.x - x < -across,
    top: box.y - y < -down,
    right: box.x - x + box.width > own.width + across,
    bottom: box.y - y + box.height > own.height + down,
  }
  return (
    removed.size === sides.length ||
    (copied.has('left') && copied.has('right')) ||
    (copied.has('top') && copied.has('bottom')) ||
    [...copied].some((side) => outside[side])
  )
}

/** Leaves border after border outside. */
function leaveBorders(pyramid: Pyramid, box: Box, mesh: FaceMesh): Part {
  const face = toExtent(box)
  const core = mesh.presence >= presenceMin ? boundMesh(mesh) : face
  let part: Part = { own: pyramid, x: 0, y: 0, removed: new Set(), copied: new Set() }
  let plane = greyPlane(pyramid)
  /** Searches that found nothing in the picture as it is now. */
  const vain = new Set<Pass>()
  for (const pass of passes) {
    if (vain.has(pass)) continue
    const { own, x, y, removed, copied } = part
    const place = { box: toPlane(face, part, plane), mesh: toPlane(core, part, plane), copied }
    const inner = searchSides(pass, plane, own, place)
    const open = openSides(inner, own, 0)
    if (open.length === 0) {
      vain.add(pass)
      continue
    }
    vain.clear()
    part = {
      own: own.cropped(inner),
      x: x + inner.x,
      y: y + inner.y,
      removed: new Set([...removed, ...open]),
      copied: pass.isCopy ? new Set([...copied, ...openSides(inner, own, copiedShareMin)]) : copied,
    }
    plane = greyPlane(part.own)
  }
  return part
}

/** The whole multiples of `grid` inside a range; the end of the picture counts as one. */
function toWhole(from: number, to: number, end: number, grid: number): { x: number; width: number } {
  const first = Math.ceil(from / grid) * grid
  const last = to >= end ? end : Math.floor(to / grid) * grid
  return { x: first, width: last - first }
}

/** A face with its picture and mesh. */
export interface PicturedFace {
  pyramid: Pyramid
  face: DetectedFace
  mesh: FaceMesh
}

interface CroppedFace extends PicturedFace {
  /** Whether the border may have moved the box of the face. */
  hasMovedBox: boolean
}

/**
 * Crops the border of the picture, if there is one, and shifts face and mesh: uniform bars and frames, replicated or mirrored edges,
 * tiles of one texture, and anything outside a rectangular edge. Networks that see a face with its surroundings would take a border
 * for surroundings.
 */
export function cropBorder(pictured: PicturedFace): CroppedFace {
  const { pyramid, face, mesh } = pictured
  const part = leaveBorders(pyramid, face.box, mesh)
  if (part.own === pyramid) return { ...pictured, hasMovedBox: false }
  const shift = { x: -part.x, y: -part.y }
  return {
    pyramid: part.own,
    face: moveFace(face, 1, shift),
    mesh: moveMesh(mesh, shift),
    hasMovedBox: hasMovedBox(part, face.box),
  }
}
