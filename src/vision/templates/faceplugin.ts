/** The template network of the package `faceplugin-face-recognition-js`: alignment by five points, one pass. */
import type { Engine } from '../../inference/engine.ts'
import { type FaceMesh, meshIndex } from '../facemesh.ts'
import { fitSimilarity, invert, midpoint, type Point, similarityMap } from '../geometry.ts'
import type { Pyramid } from '../pyramid.ts'
import { warpToTensor } from '../resample.ts'
import type { TemplateMethod } from './template-method.ts'

const side = 112

/** Target positions of right eye, left eye, nose tip and mouth corners, as usual for ArcFace chips. */
const places: readonly Point[] = [
  { x: 38.29, y: 51.7 },
  { x: 73.53, y: 51.5 },
  { x: 56.03, y: 71.74 },
  { x: 41.55, y: 92.37 },
  { x: 70.73, y: 92.2 },
]

/** Warps the face to planes `[3,112,112]` BGR, normalised as (value − 127) / 128. */
function alignFace(pyramid: Pyramid, { points }: FaceMesh): Float32Array {
  const at = (name: keyof typeof meshIndex) => points[meshIndex[name]]!
  const found = [
    midpoint(at('rightEyeOuter'), at('rightEyeInner')),
    midpoint(at('leftEyeInner'), at('leftEyeOuter')),
    at('noseTip'),
    at('mouthRight'),
    at('mouthLeft'),
  ]
  const planes = warpToTensor(pyramid, similarityMap(invert(fitSimilarity(found, places))), {
    width: side,
    height: side,
    order: 'bgr',
    sampling: 'averaged',
    outside: 'black',
  })
  for (let i = 0; i < planes.length; i++) planes[i] = (planes[i]! - 127) / 128
  return planes
}

/**
 * The package's `fr_feature`, a network of the MobileFaceNet family, its last layer projected onto 160 directions
 * (`conversion/faceplugin-feature.ts`). Templates have unit length. A second pass with the mirror image brings no gain.
 */
export const openFacepluginTemplates = (engine: Engine): TemplateMethod => ({
  id: 'faceplugin-feature-1',
  length: 160,
  async extract(pyramid, mesh) {
    const data = alignFace(pyramid, mesh)
    const outputs = await engine.run('faceplugin-feature', { data, shape: [1, 3, side, side] })
    const values = outputs.template!.data
    const size = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0))
    return Float32Array.from(values, (value) => value / size)
  },
})
