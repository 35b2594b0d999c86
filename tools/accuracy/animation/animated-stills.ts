/** Animated stills as files. */
import type { RgbaImage } from '../../../src/media/rgba-image.ts'
import { eyeDistance, type FaceMesh, meshIndex } from '../../../src/vision/facemesh.ts'
import { fitSimilarity, midpoint, type Point } from '../../../src/vision/geometry.ts'
import { remake } from '../../../test/fixtures/clips.ts'
import { shrinkImage, testCodecs } from '../../../test/fixtures/codecs.ts'
import { generator } from '../../../test/fixtures/gallery.ts'
import { meshOf } from '../../../test/fixtures/meshes.ts'
import { decode } from '../../../test/fixtures/portraits.ts'
import { zip } from '../../../test/fixtures/zip.ts'
import type { Still } from '../moved-stills.ts'
import { type Animation, frameCount, type Portrait } from './animations.ts'
import { warpToSquare } from './picture-operations.ts'

const side = 640
const framesPerSecond = 10
const jpegQuality = 92

export type ClipFormat = 'zip' | 'mp4'
export const clipFormats: readonly ClipFormat[] = ['zip', 'mp4']

/** The picture resized to the size of the clips. */
export async function squarePicture(bytes: Uint8Array): Promise<RgbaImage> {
  const image = await decode(bytes)
  const { width } = image
  return width >= side
    ? shrinkImage(image, side, side)
    : warpToSquare(image, { a: width / side, b: 0, tx: 0, ty: 0 }, side)
}

const middle = (mesh: FaceMesh, a: keyof typeof meshIndex, b: keyof typeof meshIndex): Point =>
  midpoint(mesh.points[meshIndex[a]]!, mesh.points[meshIndex[b]]!)

const anchors = (mesh: FaceMesh): Point[] => [
  middle(mesh, 'rightEyeOuter', 'rightEyeInner'),
  middle(mesh, 'leftEyeOuter', 'leftEyeInner'),
  middle(mesh, 'mouthRight', 'mouthLeft'),
]

/**
 * Finds the face, and aligns other photos with it by eyes and mouth.
 * @param stranger a photo of another person
 */
export async function openPortrait(
  { square, others }: Pick<Still, 'square' | 'others'>,
  stranger: Uint8Array | null,
): Promise<Portrait> {
  const image = await squarePicture(square)
  const mesh = await meshOf(image)
  const [rightEye, leftEye, mouth] = anchors(mesh) as [Point, Point, Point]
  const lay = async (bytes: Uint8Array): Promise<RgbaImage> => {
    const other = await squarePicture(bytes)
    return warpToSquare(other, fitSimilarity(anchors(mesh), anchors(await meshOf(other))), side)
  }
  return {
    image,
    others: await Promise.all(others.map(lay)),
    rightEye,
    leftEye,
    mouth,
    stranger: stranger && (await lay(stranger)),
    nose: mesh.points[meshIndex.noseTip]!,
    eyesApart: eyeDistance(mesh),
  }
}

/**
 * Encodes frames as a clip: an archive of JPEGs, and H.264.
 * @param quality of the JPEGs, from which the H.264 is made as well
 */
export async function clipsOf(
  pictures: Iterable<RgbaImage>,
  quality = jpegQuality,
): Promise<Record<ClipFormat, () => Promise<Uint8Array>>> {
  const frames: Uint8Array[] = []
  for (const image of pictures) frames.push(await testCodecs.encodeJpeg({ image, quality }))
  const motionJpeg = Buffer.concat(frames)
  const coding = ['-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p', '-crf', '23']
  return {
    zip: async () =>
      zip(Object.fromEntries(frames.map((bytes, i) => [`${String(i).padStart(3, '0')}.jpg`, bytes]))),
    mp4: () =>
      remake(
        motionJpeg,
        'mp4',
        ['-r', `${framesPerSecond}`, ...coding],
        ['-f', 'mjpeg', '-r', `${framesPerSecond}`],
      ),
  }
}

/** Three seconds of an animated portrait. */
export function* animateStill(portrait: Portrait, animation: Animation): Generator<RgbaImage> {
  for (let frame = 0; frame < frameCount; frame++) yield animation(portrait, frame, () => generator(1))
}
