import { describe, expect, it } from 'vitest'
import type { RgbaImage } from '../../../src/media/rgba-image.ts'
import { detectFaces } from '../../../src/vision/detect.ts'
import type { DetectedFace, FaceDetector } from '../../../src/vision/face.ts'
import { toPyramid } from '../../fixtures/codecs.ts'
import { ramp } from '../../fixtures/pictures.ts'

/** An upright face in a square box, in shares of the picture's width. */
const face =
  (x: number, y: number, side: number, confidence: number) =>
  (width: number): DetectedFace => {
    const point = (px: number, py: number) => ({ x: (x + side * px) * width, y: (y + side * py) * width })
    return {
      box: { x: x * width, y: y * width, width: side * width, height: side * width },
      confidence,
      keypoints: {
        rightEye: point(0.3, 0.3),
        leftEye: point(0.7, 0.3),
        nose: point(0.5, 0.5),
        mouth: point(0.5, 0.8),
      },
    }
  }

type Seen = readonly ReturnType<typeof face>[]

/** Half of a picture with margin is margin. */
const fromAfar = (x: number, y: number, side: number, confidence: number) =>
  face(0.25 + x / 2, 0.25 + y / 2, side / 2, confidence)

/** A fake detector that answers by the width of its input; 160 is a small picture with margin. */
function detectorThatSees(answers: (image: RgbaImage) => Seen): FaceDetector & { shown: number[] } {
  const shown: number[] = []
  return {
    shown,
    inputSizes: [256, 640],
    farSide: 80,
    reliableFacePx: 56,
    largeSide: 110,
    uprightConfidence: 0.8,
    async detect(image) {
      shown.push(image.width)
      return answers(image).map((make) => make(image.width))
    },
  }
}

const isFar = ({ width }: RgbaImage) => width === 160
const always = async () => 1
const picture = () => toPyramid(ramp(256, 256))

describe('detectFaces with a face that fills the picture', () => {
  it('also detects with a margin, which drops false detections beside it', async () => {
    const detector = detectorThatSees((image) =>
      isFar(image) ? [fromAfar(0.1, 0, 0.8, 0.9)] : [face(0.1, 0, 0.8, 0.94), face(0.5, 0.4, 0.5, 0.6)],
    )
    const { faces } = await detectFaces(detector, picture(), always)
    expect(faces).toHaveLength(1)
    expect(faces[0]!.box.x).toBeCloseTo(0.1 * 256)
    expect(faces[0]!.box.width).toBeCloseTo(0.8 * 256)
  })

  it('keeps a second face with high confidence', async () => {
    const detector = detectorThatSees((image) =>
      isFar(image) ? [fromAfar(0, 0, 0.5, 0.9)] : [face(0, 0, 0.5, 0.9), face(0.5, 0.4, 0.5, 0.85)],
    )
    expect((await detectFaces(detector, picture(), always)).faces).toHaveLength(2)
  })

  it('keeps small faces that are not detected with a margin', async () => {
    const detector = detectorThatSees((image) =>
      isFar(image) ? [fromAfar(0, 0, 0.5, 0.9)] : [face(0, 0, 0.5, 0.9), face(0.7, 0.7, 0.2, 0.6)],
    )
    expect((await detectFaces(detector, picture(), always)).faces).toHaveLength(2)
  })

  it('keeps the face if the margin result has only a small box elsewhere', async () => {
    const detector = detectorThatSees((image) =>
      isFar(image) ? [fromAfar(0.85, 0.85, 0.1, 0.7)] : [face(0.1, 0.1, 0.7, 0.79)],
    )
    const { faces } = await detectFaces(detector, picture(), always)
    expect(faces[0]!.box.width).toBeCloseTo(0.7 * 256)
  })

  it('does not rotate the picture if the margin result is confident', async () => {
    const detector = detectorThatSees((image) =>
      isFar(image) ? [fromAfar(0.1, 0.1, 0.8, 0.9)] : [face(0.1, 0.1, 0.8, 0.6)],
    )
    expect((await detectFaces(detector, picture(), always)).quarterTurns).toBe(0)
    expect(detector.shown).toEqual([256, 160])
  })
})

it('detectFaces runs once for a face of medium size', async () => {
  const detector = detectorThatSees(() => [face(0.3, 0.3, 0.4, 0.9)])
  await detectFaces(detector, picture(), always)
  expect(detector.shown).toEqual([256])
})

it('detectFaces uses a higher resolution for a small face', async () => {
  const detector = detectorThatSees(() => [face(0.3, 0.3, 0.1, 0.9)])
  await detectFaces(detector, toPyramid(ramp(640, 640)), always)
  expect(detector.shown).toEqual([256, 640])
})

it('detectFaces does not rotate a picture if the mesh fits in no rotation', async () => {
  let looks = 0
  const detector = detectorThatSees(() => [face(0.3, 0.3, 0.4, looks++ === 0 ? 0.6 : 0.75)])
  expect((await detectFaces(detector, picture(), async () => 0.02)).quarterTurns).toBe(0)
})

it('detectFaces rotates a picture so that its face is upright', async () => {
  let looks = 0
  const detector = detectorThatSees(() => [face(0.3, 0.3, 0.4, looks++ === 2 ? 0.95 : 0.6)])
  expect((await detectFaces(detector, picture(), always)).quarterTurns).toBe(2)
})

it.each([1, 2, 3])(
  'detectFaces rotates a picture by %i clockwise quarter turns until its face is upright',
  async (turns) => {
    // The shape of the picture identifies odd turns, a mark in its corner the half turn.
    const image = ramp(200, 256)
    const corner = ({ data }: RgbaImage) =>
      [data[0], data[1]].map((value) => (value! > 127 ? 'far' : 'near')).join()
    const upright = ['near,near', 'near,far', 'far,far', 'far,near'][turns]
    const detector = detectorThatSees((shown) =>
      corner(shown) === upright ? [face(0.3, 0.3, 0.4, 0.95)] : [],
    )
    const { quarterTurns, faces, pyramid } = await detectFaces(detector, toPyramid(image), always)
    expect([quarterTurns, faces.length]).toEqual([turns, 1])
    const { width, height } = pyramid.image
    expect([width, height]).toEqual(turns === 2 ? [200, 256] : [256, 200])
  },
)

it('detectFaces returns no face if no rotation shows one', async () => {
  const { quarterTurns, faces } = await detectFaces(
    detectorThatSees(() => []),
    picture(),
    always,
  )
  expect([quarterTurns, faces]).toEqual([0, []])
})
