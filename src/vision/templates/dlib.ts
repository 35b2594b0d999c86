/** dlib's face recognition network: alignment, template, mirror image. */
import type { Engine } from '../../inference/engine.ts'
import type { FaceMesh } from '../facemesh.ts'
import { fitSimilarity, invert, type Point, similarityMap } from '../geometry.ts'
import type { Pyramid } from '../pyramid.ts'
import { warpToTensor } from '../resample.ts'
import type { TemplateMethod } from './template-method.ts'

const side = 150
const length = 128

/**
 * Alignment points of dlib (`get_face_chip_details`): nose, eyes and upper lip of the 68-point layout, without jaw, brows and
 * lower lip, so that expressions have little influence. Each with its mesh point and its position on dlib's mean face, in
 * units of the face without padding.
 */
const anchors: readonly [meshPoint: number, x: number, y: number][] = [
  [168, 0.490127, 0.203352],
  [197, 0.490127, 0.307009],
  [5, 0.490127, 0.409805],
  [4, 0.490127, 0.515625],
  [75, 0.36688, 0.587326],
  [97, 0.426036, 0.609345],
  [2, 0.490127, 0.628106],
  [326, 0.554217, 0.609345],
  [305, 0.613373, 0.587326],
  [33, 0.121737, 0.216423],
  [160, 0.187122, 0.178758],
  [158, 0.265825, 0.179852],
  [133, 0.334606, 0.231733],
  [153, 0.260918, 0.245099],
  [144, 0.182743, 0.244077],
  [362, 0.645647, 0.231733],
  [385, 0.714428, 0.179852],
  [387, 0.793132, 0.178758],
  [263, 0.858516, 0.216423],
  [373, 0.79751, 0.244077],
  [380, 0.719335, 0.245099],
  [61, 0.254149, 0.780233],
  [39, 0.340985, 0.745405],
  [37, 0.428858, 0.727388],
  [0, 0.490127, 0.742578],
  [267, 0.551395, 0.727388],
  [269, 0.639268, 0.745405],
  [291, 0.726104, 0.780233],
  [78, 0.290379, 0.784792],
  [82, 0.428096, 0.778746],
  [13, 0.490127, 0.785343],
  [312, 0.552157, 0.778746],
  [308, 0.689874, 0.784792],
]
const padding = 0.25

/** Warps the face to planes `[3,150,150]` RGB 0…255; a similarity transform aligns the mesh with dlib's mean face. */
function alignFace(pyramid: Pyramid, mesh: FaceMesh): Float32Array {
  const onChip = (x: number, y: number): Point => ({
    x: ((x + padding) / (1 + 2 * padding)) * side,
    y: ((y + padding) / (1 + 2 * padding)) * side,
  })
  const toChip = fitSimilarity(
    anchors.map(([meshPoint]) => mesh.points[meshPoint]!),
    anchors.map(([, x, y]) => onChip(x, y)),
  )
  return warpToTensor(pyramid, similarityMap(invert(toChip)), {
    width: side,
    height: side,
    order: 'rgb',
    sampling: 'averaged',
    outside: 'border',
  })
}

/** Mirrors each plane horizontally. */
function mirrorPlanes(planes: Float32Array): Float32Array {
  const out = new Float32Array(planes.length)
  for (let row = 0; row < planes.length; row += side) {
    for (let x = 0; x < side; x++) out[row + x] = planes[row + side - 1 - x]!
  }
  return out
}

/**
 * dlib's ResNet with 29 layers (CC0), input `[n,3,150,150]` RGB 0…255, output `template` `[n,128]`. The template is the mean
 * of the vectors of the aligned face and of its mirror image. It is not normalised; lengths are about 1.4.
 */
export const openDlibTemplates = (engine: Engine): TemplateMethod => ({
  id: 'dlib-resnet29-1',
  length,
  async extract(pyramid, mesh) {
    const face = alignFace(pyramid, mesh)
    const both = new Float32Array(face.length * 2)
    both.set(face)
    both.set(mirrorPlanes(face), face.length)
    const outputs = await engine.run('dlib-resnet29', { data: both, shape: [2, 3, side, side] })
    const values = outputs.template!.data
    return Float32Array.from({ length }, (_, i) => (values[i]! + values[i + length]!) / 2)
  },
})
