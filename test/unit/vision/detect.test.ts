import { describe, expect, it } from 'vitest'
import type { RgbaImage } from '../../../src/media/rgba-image.ts'
import { detectFaces } from '../../../src/vision/detect.ts'
import type { DetectedFace, FaceDetector } from '../../../src/vision/face.ts'
import { meshIndex } from '../../../src/vision/facemesh.ts'
import type { Point } from '../../../src/vision/geometry.ts'
import type { LandmarkMethod } from '../../../src/vision/landmarks.ts'
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
/** A mesh with a presence on each face, its landmarks where the detector has them. */
const meshes =
  (presence: (face: DetectedFace) => number): LandmarkMethod =>
  async (_, face) => {
    const { rightEye, leftEye, nose, mouth } = face.keypoints
    const places: [keyof typeof meshIndex, Point][] = [
      ['rightEyeOuter', rightEye],
      ['rightEyeInner', rightEye],
      ['leftEyeInner', leftEye],
      ['leftEyeOuter', leftEye],
      ['noseTip', nose],
      ['mouthRight', mouth],
      ['mouthLeft', mouth],
    ]
    const points = Array.from({ length: 468 }, () => ({ ...nose, z: 0 }))
    for (const [name, place] of places) points[meshIndex[name]] = { ...place, z: 0 }
    return { points, presence: presence(face) }
  }
const always = meshes(() => 1)
const isTurnedOver = ({ keypoints: { rightEye, mouth } }: DetectedFace) => rightEye.y > mouth.y
const picture = () => toPyramid(ramp(256, 256))

describe('detectFaces with a face that fills the picture', () => {
  it('also detects with a margin, which drops false detections beside it', async () => {
    const detector = detectorThatSees((image) =>
      isFar(image) ? [fromAfar(0.1, 0, 0.8, 0.9)] : [face(0.1, 0, 0.8, 0.94), face(0.5, 0.4, 0.5, 0.6)],
    )
    const { faces } = await detectFaces(detector, always, picture())
    expect(faces).toHaveLength(1)
    expect(faces[0]!.box.x).toBeCloseTo(0.1 * 256)
    expect(faces[0]!.box.width).toBeCloseTo(0.8 * 256)
  })

  it('keeps a second face with high confidence', async () => {
    const detector = detectorThatSees((image) =>
      isFar(image) ? [fromAfar(0, 0, 0.5, 0.9)] : [face(0, 0, 0.5, 0.9), face(0.5, 0.4, 0.5, 0.85)],
    )
    expect((await detectFaces(detector, always, picture())).faces).toHaveLength(2)
  })

  it('keeps small faces that are not detected with a margin', async () => {
    const detector = detectorThatSees((image) =>
      isFar(image) ? [fromAfar(0, 0, 0.5, 0.9)] : [face(0, 0, 0.5, 0.9), face(0.7, 0.7, 0.2, 0.6)],
    )
    expect((await detectFaces(detector, always, picture())).faces).toHaveLength(2)
  })

  it('keeps the face if the margin result has only a small box elsewhere', async () => {
    const detector = detectorThatSees((image) =>
      isFar(image) ? [fromAfar(0.85, 0.85, 0.1, 0.7)] : [face(0.1, 0.1, 0.7, 0.79)],
    )
    const { faces } = await detectFaces(detector, always, picture())
    expect(faces[0]!.box.width).toBeCloseTo(0.7 * 256)
  })

  it('does not rotate the picture if the margin result is confident', async () => {
    const detector = detectorThatSees((image) =>
      isFar(image) ? [fromAfar(0.1, 0.1, 0.8, 0.9)] : [face(0.1, 0.1, 0.8, 0.6)],
    )
    expect((await detectFaces(detector, always, picture())).quarterTurns).toBe(0)
    expect(detector.shown).toEqual([256, 160])
  })
})

it('detectFaces runs once for a face of medium size', async () => {
  const detector = detectorThatSees(() => [face(0.3, 0.3, 0.4, 0.9)])
  await detectFaces(detector, always, picture())
  expect(detector.shown).toEqual([256])
})

it('detectFaces uses a higher resolution for a small face', async () => {
  const detector = detectorThatSees(() => [face(0.3, 0.3, 0.1, 0.9)])
  await detectFaces(detector, always, toPyramid(ramp(640, 640)))
  expect(detector.shown).toEqual([256, 640])
})

it('detectFaces does not rotate a picture if the mesh fits in no rotation', async () => {
  let looks = 0
  const detector = detectorThatSees(() => [face(0.3, 0.3, 0.4, looks++ === 0 ? 0.6 : 0.75)])
  expect(
    (
      await detectFaces(
        detector,
        meshes(() => 0.02),
        picture(),
      )
    ).quarterTurns,
  ).toBe(0)
})

it('detectFaces rotates a picture so that its face is upright', async () => {
  let looks = 0
  const detector = detectorThatSees(() => [face(0.3, 0.3, 0.4, looks++ === 2 ? 0.95 : 0.6)])
  expect((await detectFaces(detector, always, picture())).quarterTurns).toBe(2)
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
    const { quarterTurns, faces, pyramid } = await detectFaces(detector, always, toPyramid(image))
    expect([quarterTurns, faces.length]).toEqual([turns, 1])
    const { width, height } = pyramid.image
    expect([width, height]).toEqual(turns === 2 ? [200, 256] : [256, 200])
  },
)

describe('detectFaces with a confident face', () => {
  interface Presence {
    asItIs: number
    /** Of the same face upside down. */
    turnedOver: number
    /** In other directions of the picture. */
    elsewhere?: number
  }

  async function look({ asItIs, turnedOver, elsewhere = 1 }: Presence, confidence = 0.95) {
    let [fits, looks] = [0, 0]
    const detector = detectorThatSees(() => [face(0.3, 0.3, 0.4, looks++ === 0 ? 0.9 : confidence)])
    const landmarks = meshes((one) => {
      if (fits++ === 0) return asItIs
      return isTurnedOver(one) ? turnedOver : elsewhere
    })
    const { quarterTurns } = await detectFaces(detector, landmarks, picture())
    return { quarterTurns, fits, looks }
  }

  it('looks no further if the mesh network has no doubt', async () => {
    expect(await look({ asItIs: 1, turnedOver: 1 })).toEqual({ quarterTurns: 0, fits: 1, looks: 1 })
  })

  it('looks at the face upside down if the mesh network has some', async () => {
    expect(await look({ asItIs: 0.99, turnedOver: 0.5 })).toEqual({ quarterTurns: 0, fits: 2, looks: 1 })
  })

  it('rotates the picture if the mesh fits the face better upside down', async () => {
    expect((await look({ asItIs: 0.99, turnedOver: 1 })).quarterTurns).toBe(1)
  })

  it('rotates the picture if the mesh hardly fits', async () => {
    expect((await look({ asItIs: 0.8, turnedOver: 0 })).quarterTurns).toBe(1)
  })

  it.each([
    [0, 'little', 0.91],
    [1, 'more', 0.95],
  ])('rotates the picture by %i quarter turns if the face gains %s by it', async (turns, _, confidence) => {
    const presence = { asItIs: 0.99, turnedOver: 0.95, elsewhere: 0.99 }
    expect((await look(presence, confidence)).quarterTurns).toBe(turns)
  })

  it('keeps the picture if the mesh fits as well upside down in other directions', async () => {
    const presence = { asItIs: 0.99, turnedOver: 0.99, elsewhere: 0.99 }
    expect((await look(presence)).quarterTurns).toBe(0)
  })
})

it('detectFaces looks at a face upside down if the networks have its landmarks at different places', async () => {
  let fits = 0
  const detector = detectorThatSees(() => [face(0.3, 0.3, 0.4, 0.9)])
  const shifted: LandmarkMethod = async (pyramid, one) => {
    const { points } = await always(pyramid, one)
    return {
      points: points.map((point) => ({ ...point, y: point.y + 10 })),
      presence: fits++ === 0 ? 1 : 0.9,
    }
  }
  expect((await detectFaces(detector, shifted, picture())).quarterTurns).toBe(0)
  expect(fits).toBe(2)
})

it('detectFaces returns no face if no rotation shows one', async () => {
  const { quarterTurns, faces } = await detectFaces(
    detectorThatSees(() => []),
    always,
    picture(),
  )
  expect([quarterTurns, faces]).toEqual([0, []])
})
