/** Reads the faces in folders of pictures, for fitting. */
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Engine } from '../../src/inference/engine.ts'
import { decodeImage, inspectImage } from '../../src/media/decode-image.ts'
import type { ImageCodecs } from '../../src/media/image-codecs.ts'
import { openMedium } from '../../src/media/opened-medium.ts'
import { detectFaces } from '../../src/vision/detect.ts'
import { type DetectedFace, type FaceDetector, faceSide } from '../../src/vision/face.ts'
import { type FaceMesh, fitFaceMesh } from '../../src/vision/facemesh.ts'
import type { LandmarkMethod } from '../../src/vision/landmarks.ts'
import { Pyramid } from '../../src/vision/pyramid.ts'

export interface PicturedFace {
  /** Path of the picture. */
  file: string
  pyramid: Pyramid
  face: DetectedFace
  mesh: FaceMesh
}

const faceSideMin = 80
const confidenceMin = 0.8
const presenceMin = 0.9
const pixelsMax = 1e8

/** Yields all faces that are large and detected with high confidence; prints progress to standard error. */
export async function* walkFaces(
  deps: { engine: Engine; codecs: ImageCodecs },
  detector: FaceDetector,
  folders: readonly string[],
): AsyncGenerator<PicturedFace> {
  const landmarks: LandmarkMethod = (pyramid, face) => fitFaceMesh(deps.engine, pyramid, face)
  const files: string[] = []
  for (const folder of folders) {
    const names = (await readdir(folder)).filter((name) => /\.(jpe?g|png)$/i.test(name)).sort()
    files.push(...names.map((name) => path.join(folder, name)))
  }
  for (const [picture, file] of files.entries()) {
    const bytes = new Uint8Array(await readFile(file))
    const decoded = await decodeImage(deps.codecs, bytes, inspectImage(openMedium(bytes), { pixelsMax }))
    const { pyramid, faces } = await detectFaces(
      detector,
      landmarks,
      new Pyramid(deps.codecs.pictures, decoded),
    )
    for (const face of faces) {
      if (faceSide(face) < faceSideMin || face.confidence < confidenceMin) continue
      const mesh = await landmarks(pyramid, face)
      if (mesh.presence >= presenceMin) yield { file, pyramid, face, mesh }
    }
    if (picture % 25 === 0) process.stderr.write(`\r${picture} of ${files.length} pictures `)
  }
  process.stderr.write('\n')
}
