/** Pixel coordinates: x to the right, y down; the centre of the top left pixel is (0.5, 0.5). */
export interface Point {
  x: number
  y: number
}

/** A box in pixels of the oriented image; may extend beyond its borders. */
export interface Box {
  x: number
  y: number
  width: number
  height: number
}

/**
 * Rotation, uniform scale and shift (no mirroring): `x' = a·x − b·y + tx`, `y' = b·x + a·y + ty`.
 */
export interface Similarity {
  a: number
  b: number
  tx: number
  ty: number
}

/** `x' = xx·x + xy·y + tx`, `y' = yx·x + yy·y + ty`. */
export interface Affine {
  xx: number
  xy: number
  yx: number
  yy: number
  tx: number
  ty: number
}

export const similarityMap = ({ a, b, tx, ty }: Similarity): Affine => ({
  xx: a,
  xy: -b,
  yx: b,
  yy: a,
  tx,
  ty,
})

/** Maps a crop of `width` × `height` pixels onto a box. */
export const boxMap = (box: Box, width: number, height: number): Affine => ({
  xx: box.width / width,
  xy: 0,
  yx: 0,
  yy: box.height / height,
  tx: box.x,
  ty: box.y,
})

export const boxCentre = (box: Box): Point => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 })

export const midpoint = (p: Point, q: Point): Point => ({ x: (p.x + q.x) / 2, y: (p.y + q.y) / 2 })

export const distance = (p: Point, q: Point): number => Math.hypot(p.x - q.x, p.y - q.y)

export const transform = (t: Similarity, p: Point): Point => ({
  x: t.a * p.x - t.b * p.y + t.tx,
  y: t.b * p.x + t.a * p.y + t.ty,
})

export function invert({ a, b, tx, ty }: Similarity): Similarity {
  const norm = a * a + b * b
  const [ia, ib] = [a / norm, -b / norm]
  return { a: ia, b: ib, tx: -(ia * tx - ib * ty), ty: -(ib * tx + ia * ty) }
}

/** Fits the similarity that maps `from` to `to` with the least squared error (Umeyama 1991, without reflection). */
export function fitSimilarity(from: readonly Point[], to: readonly Point[]): Similarity {
  const mean = (points: readonly Point[]): Point => ({
    x: points.reduce((sum, p) => sum + p.x, 0) / points.length,
    y: points.reduce((sum, p) => sum + p.y, 0) / points.length,
  })
  const [f, t] = [mean(from), mean(to)]
  let [dot, cross, norm] = [0, 0, 0]
  from.forEach((p, index) => {
    const q = to[index]!
    const [px, py, qx, qy] = [p.x - f.x, p.y - f.y, q.x - t.x, q.y - t.y]
    dot += px * qx + py * qy
    cross += px * qy - py * qx
    norm += px * px + py * py
  })
  const [a, b] = [dot / norm, cross / norm]
  return { a, b, tx: t.x - (a * f.x - b * f.y), ty: t.y - (b * f.x + a * f.y) }
}

/** Area of the intersection of two boxes divided by the area of their union. */
export function intersectionOverUnion(p: Box, q: Box): number {
  const width = Math.min(p.x + p.width, q.x + q.width) - Math.max(p.x, q.x)
  const height = Math.min(p.y + p.height, q.y + q.height) - Math.max(p.y, q.y)
  if (width <= 0 || height <= 0) return 0
  const shared = width * height
  return shared / (p.width * p.height + q.width * q.height - shared)
}
