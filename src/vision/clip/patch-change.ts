/** Tells cuts of a clip, where another picture of a face follows, from the movement of one face. */
import { type FacePatch, patchSide } from './face-patch.ts'

/** Side in pixels of the cells that are compared: larger than the mesh trembles. */
const cellSide = 4
const cells = patchSide / cellSide

/** Mean brightness `[32,32]`. */
function averageCells({ grey }: FacePatch): Float32Array {
  const means = new Float32Array(cells * cells)
  for (let y = 0, at = 0; y < patchSide; y++) {
    const row = Math.floor(y / cellSide) * cells
    for (let x = 0; x < patchSide; x++, at++) means[row + Math.floor(x / cellSide)]! += grey[at]!
  }
  return means
}

/** 1 − correlation of the brightness of two patches: 0 for the same picture, 1 for unrelated ones. */
export function measurePatchChange(a: FacePatch, b: FacePatch): number {
  const [p, q] = [averageCells(a), averageCells(b)]
  const mean = (values: Float32Array) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [pMean, qMean] = [mean(p), mean(q)]
  let [pq, pp, qq] = [0, 0, 0]
  for (let i = 0; i < p.length; i++) {
    const [u, v] = [p[i]! - pMean, q[i]! - qMean]
    pq += u * v
    pp += u * u
    qq += v * v
  }
  return pp === 0 || qq === 0 ? 1 : 1 - pq / Math.sqrt(pp * qq)
}
