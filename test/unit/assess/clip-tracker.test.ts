import { describe, expect, it } from 'vitest'
import { ClipTracker, type TrackerDeps } from '../../../src/assess/clip-tracker.ts'
import type { Engine, Tensor } from '../../../src/inference/engine.ts'
import type { RgbaImage } from '../../../src/media/rgba-image.ts'
import type { VideoFrame } from '../../../src/media/video/video-decoder.ts'
import { eyesApartMin } from '../../../src/vision/clip/movement.ts'
import type { DetectedFace } from '../../../src/vision/face.ts'
import { openLandmarkMethod } from '../../../src/vision/landmarks.ts'
import { openFacepluginTemplates } from '../../../src/vision/templates/faceplugin.ts'
import { registrationKernel, testCodecs } from '../../fixtures/codecs.ts'
import { templateLength } from '../../fixtures/templates.ts'

const width = 640
const height = 360
const durationS = 5

const pattern = (length: number) =>
  Uint8ClampedArray.from({ length }, (_, i) => (i % 4 === 3 ? 255 : ((i * 7) % 97) + 80))
const small = pattern(width * height * 4)
const full = pattern(width * height * 16)

/** A picture that differs from others in one pixel. */
const picture = (seed: number): RgbaImage => ({ width, height, data: small.slice().fill(seed, 4, 7) })

const shaped = (width: number, height: number): RgbaImage => ({
  width,
  height,
  data: pattern(width * height * 4),
})

/** Pictures that grow brighter to the right, to the bottom and to the left. */
const shades = [
  (x: number, _: number) => x / width,
  (_: number, y: number) => y / height,
  (x: number, _: number) => 1 - x / width,
].map(
  (shade): RgbaImage => ({
    width,
    height,
    data: Uint8ClampedArray.from({ length: small.length }, (_, at) => {
      const pixel = at >> 2
      return at % 4 === 3 ? 255 : 255 * shade(pixel % width, Math.floor(pixel / width))
    }),
  }),
)

/** A face of a given size in the middle of the frame. */
const faceOf = (side: number, centre = 320): DetectedFace => ({
  box: { x: centre - side / 2, y: 180 - side / 2, width: side, height: side },
  confidence: 0.95,
  keypoints: {
    rightEye: { x: centre - side / 5, y: 160 },
    leftEye: { x: centre + side / 5, y: 160 },
    nose: { x: centre, y: 180 },
    mouth: { x: centre, y: 210 },
  },
})

/** A mesh that fills the same part of its crop as a detected face, so that the tracked face stays in place. */
function meshTensor(isTurned: boolean): Tensor {
  const data = new Float32Array(468 * 3)
  for (let i = 0; i < 468; i++) {
    data[i * 3] = 32 + (128 * (i % 22)) / 21
    data[i * 3 + 1] = 32 + (128 * Math.floor(i / 22)) / 21
  }
  const place = (index: number, x: number, y: number, z = 0) => data.set([x, y, z], index * 3)
  place(33, 60, 80)
  place(133, 84, 80)
  place(362, 108, 80)
  place(263, 132, 80)
  place(159, 72, 76)
  place(145, 72, 84)
  place(386, 120, 76)
  place(374, 120, 84)
  const depth = isTurned ? 80 : 0
  place(234, 40, 100, -depth)
  place(454, 152, 100, depth)
  place(10, 96, 40)
  place(152, 96, 150)
  return { data, shape: [1, 1404] }
}

interface Scene {
  faces(timeS: number, shown: RgbaImage): DetectedFace[]
  presence?(timeS: number): number
  /** Whether the head is turned to the side. */
  isTurned?(timeS: number): boolean
  /** Axis along which the template points. */
  axis?(timeS: number): number
  /** Attack scores of the key frames, used in turn. */
  attacks?: number[]
  image?(index: number): RgbaImage
  pad?: boolean
  templates?: boolean
  challenge?: boolean
  quarterTurns?: readonly (number | null)[]
}

/** Tracks fifty frames of a scene and counts the calls to the networks. */
async function tracked({
  faces,
  presence,
  isTurned,
  axis,
  attacks = [],
  image,
  pad = true,
  templates = true,
  challenge = false,
  quarterTurns = [0],
}: Scene) {
  const calls = { found: [] as number[], pads: 0, kept: 0, read: 0 }
  let timeS = 0
  const engine: Engine = {
    run: async (model): Promise<Record<string, Tensor>> => {
      if (model !== 'faceplugin-feature')
        return {
          mesh: meshTensor(isTurned?.(timeS) ?? false),
          presence: { data: Float32Array.of(presence?.(timeS) ?? 1), shape: [1, 1] },
        }
      const data = new Float32Array(templateLength)
      data[axis?.(timeS) ?? 0] = 1
      return { template: { data, shape: [1, templateLength] } }
    },
  }
  const parts: TrackerDeps = {
    pictures: testCodecs.pictures,
    landmarks: openLandmarkMethod(engine, 'facemesh-468'),
    detector: {
      inputSizes: [width],
      farSide: width / 2,
      largeSide: Number.POSITIVE_INFINITY,
      reliableFacePx: 1,
      uprightConfidence: 0.8,
      detect: async (shown) => {
        if (shown.width > shown.height) calls.found.push(timeS)
        return faces(timeS, shown)
      },
    },
    pad: pad
      ? async () => {
          const attack = attacks[calls.pads] ?? 0.1
          calls.pads++
          return { attack, replay: attack / 2, modelIds: ['minifasnet-v2'] }
        }
      : null,
    template: templates ? openFacepluginTemplates(engine) : null,
    challenge,
    compare: (a, b) => Math.hypot(...a.map((value, i) => value - b[i]!)) - 1,
    registrationKernel,
    durationS,
    quarterTurns,
  }
  const tracker = new ClipTracker(parts)
  for (let i = 0; i < 50; i++) {
    timeS = (i + 0.5) / 10
    const frame: VideoFrame = {
      timeS,
      image: image?.(i) ?? picture(i),
      keepFullSize: () => {
        calls.kept++
        return async () => {
          calls.read++
          return { width: width * 2, height: height * 2, data: full }
        }
      },
    }
    await tracker.addFrame(frame)
  }
  return { tracker, calls }
}

const one = () => [faceOf(180)]
const same = picture(1)

describe('ClipTracker tracks the face', () => {
  it('by detection once a second and by the mesh in between', async () => {
    const { tracker, calls } = await tracked({ faces: one })
    expect(calls.found).toHaveLength(5)
    expect(tracker.measure()).toMatchObject({ frames: 50, framesWithoutFace: 0 })
  })

  it('and detects it again if the mesh has lost it', async () => {
    // The frame at 1.5 s has no face for the mesh.
    const { tracker, calls } = await tracked({
      faces: one,
      presence: (timeS) => (Math.abs(timeS - 2.25) < 0.01 ? 0.1 : 1),
    })
    expect(calls.found).toContain(2.25)
    expect(tracker.measure().framesWithoutFace).toBe(0)
  })

  it('and detects only in key frames while no face is visible', async () => {
    const { tracker, calls } = await tracked({ faces: () => [] })
    expect(new Set(calls.found).size).toBeLessThanOrEqual(12)
    expect(new Set(calls.found).size).toBeGreaterThanOrEqual(8)
    expect(tracker.measure()).toMatchObject({ framesWithoutFace: 50, movement: { status: 'too_few' } })
    expect([await tracker.readBest(), tracker.averagePad(), tracker.faces]).toEqual([null, null, []])
  })

  it('that appears late', async () => {
    const { tracker } = await tracked({ faces: (timeS) => (timeS > 2 ? one() : []) })
    const { framesWithoutFace } = tracker.measure()
    expect(framesWithoutFace).toBeGreaterThanOrEqual(20)
    expect(framesWithoutFace).toBeLessThan(26)
    expect((await tracker.readBest())?.timeS).toBeGreaterThan(2)
  })

  it.each([
    ['counts if two detections show it', 4, 2],
    ['counts as a false detection if only one shows it', 3, 1],
  ])('a rival %s', async (_, untilS, count) => {
    const { tracker } = await tracked({
      faces: (timeS) => (timeS > 2 && timeS < untilS ? [faceOf(180), faceOf(120, 560)] : one()),
    })
    expect(tracker.faces).toHaveLength(count)
    expect(tracker.faces[0]!.box.height).toBeCloseTo(180, 5)
  })
})

describe('a clip whose frames change their shape', () => {
  const shapes = { lying: picture(1), other: shaped(480, 360), standing: shaped(360, 640) }
  const changing = (at: number, to: RgbaImage) => (i: number) => (i < at ? picture(i) : to)
  /** Key frames are those at 0.05 s, 0.55 s and so on. */
  const betweenKeys = 23

  it('is searched for the face where they change', async () => {
    const { calls } = await tracked({ faces: one, image: changing(betweenKeys, shapes.other) })
    expect(calls.found).toContain(2.35)
    const steady = await tracked({ faces: one })
    expect(steady.calls.found).not.toContain(2.35)
  })

  it('is compared across the change, also between key frames', async () => {
    const { tracker } = await tracked({ faces: one, image: changing(betweenKeys, shapes.other) })
    expect(tracker.measure().identity).toMatchObject({ frames: 11, agreeing: 11 })
    const brief = (i: number) => ([betweenKeys, betweenKeys + 10].includes(i) ? shapes.other : picture(i))
    const exchanged = await tracked({
      faces: one,
      image: brief,
      axis: (timeS) => ([2.35, 3.35].includes(timeS) ? 1 : 0),
    })
    expect(exchanged.tracker.measure().identity!.distance).toBeCloseTo(Math.SQRT2 - 1, 5)
  })

  it('stays one clip if only their size changes, but is searched and compared again', async () => {
    const { tracker, calls } = await tracked({ faces: one, image: changing(betweenKeys, shaped(320, 180)) })
    expect(calls.found).toContain(2.35)
    expect(tracker.measure().identity).toMatchObject({ frames: 11, agreeing: 11 })
  })

  it('is turned as each shape needs', async () => {
    // In the second shape the face lies on its side, and is seen only in the turned picture.
    const scene: Scene = {
      faces: (timeS, shown) => (timeS > 2.3 && shown.height > shown.width ? [] : one()),
      image: changing(betweenKeys, shapes.standing),
    }
    const { tracker } = await tracked(scene)
    const upright = (timeS: number, image: RgbaImage) => tracker.turnUpright({ timeS, image }).width
    expect(upright(1, picture(0))).toBe(640)
    expect(upright(3, shapes.standing)).toBe(640)
    expect((await tracker.readBest())!.pyramid.width).toBe(2 * width)
    expect(tracker.measure()).toMatchObject({ frames: 50, framesWithoutFace: 0 })
  })

  it('asks to be turned as most frames of each shape need', async () => {
    // The first face of the second shape seems upright as it is.
    const scene: Scene = {
      faces: (timeS, shown) => (timeS > 2.3 && shown.height > shown.width === timeS > 2.36 ? [] : one()),
      image: changing(betweenKeys, shapes.standing),
    }
    expect((await tracked(scene)).tracker.betterTurns).toEqual([0, 1])
    const again = await tracked({ ...scene, quarterTurns: [0, 1] })
    expect(again.tracker.betterTurns).toBe(null)
  })

  it('has a face in frames of any shape', async () => {
    const inTurn = [shapes.lying, shapes.other, shaped(16, 16), shaped(640, 17)]
    const { tracker } = await tracked({ faces: one, image: (i) => inTurn[i % 4]! })
    expect(tracker.measure()).toMatchObject({ frames: 50, framesWithoutFace: 0 })
  })
})

describe('findings of a clip', () => {
  it('average attack scores over the middle half of the key frames', async () => {
    const { tracker, calls } = await tracked({ faces: one, attacks: [1, 1, 0] })
    expect(calls.pads).toBeGreaterThanOrEqual(10)
    expect(calls.pads).toBeLessThanOrEqual(12)
    expect(tracker.averagePad()).toMatchObject({
      attack: expect.closeTo(0.1, 6),
      replay: expect.closeTo(0.05, 6),
    })
  })

  it('follows the majority of the frames', async () => {
    const { tracker } = await tracked({ faces: one, attacks: Array(8).fill(0.9) })
    expect(tracker.averagePad()!.attack).toBeCloseTo(0.9, 6)
  })

  it('have no attack score if none was requested', async () => {
    const { tracker, calls } = await tracked({ faces: one, pad: false })
    expect([tracker.averagePad(), calls.pads]).toEqual([null, 0])
  })

  it('compare the subject at the beginning, in the middle and at the end', async () => {
    const constant = await tracked({ faces: one })
    const { identity: same } = constant.tracker.measure()
    expect(same).toMatchObject({ distance: -1, agreeing: same!.frames, facing: same!.frames })
    const exchanged = await tracked({ faces: one, axis: (timeS) => (timeS < 3.5 ? 0 : 1) })
    const { identity: other } = exchanged.tracker.measure()
    expect(other!.distance).toBeCloseTo(Math.SQRT2 - 1, 5)
    expect(other!.agreeing).toBeLessThan(other!.facing)
    const unasked = await tracked({ faces: one, templates: false })
    expect(unasked.tracker.measure().identity).toBeNull()
  })

  it('compare what is behind each cut, also between key frames', async () => {
    const frameAt = (timeS: number) => Math.round(timeS * 10 - 0.5)
    const key = 5
    // A photo at the times of the key frames, and two views of somebody else between them.
    const scene: Scene = {
      faces: one,
      image: (i) => shades[Math.min(i % key, 2)]!,
      axis: (timeS) => (frameAt(timeS) % key === 0 ? 0 : 1),
    }
    const { tracker } = await tracked(scene)
    const { identity } = tracker.measure()
    expect(identity).toMatchObject({ frames: 30, facing: 30, agreeing: 20 })
    expect(identity!.distance).toBeCloseTo(Math.SQRT2 - 1, 5)
    // Only key frames are offered as shots.
    expect(await tracker.readBest()).not.toBeNull()
    const moving = await tracked({ ...scene, image: picture })
    expect(moving.tracker.measure().identity).toMatchObject({ frames: 10, agreeing: 10 })
  })

  it('tell why movement was not measured: the face is too small, or visible in too few frames', async () => {
    const statusOf = async (scene: Scene) => (await tracked(scene)).tracker.measure().movement.status
    expect(await statusOf({ faces: () => [faceOf(50)] })).toBe('too_small')
    expect(await statusOf({ faces: (timeS) => (timeS > 4.8 ? one() : []) })).toBe('too_few')
  })

  it('measure no movement in turned frames, which cannot be identified', async () => {
    // Turned frames count neither as small nor as usable; the remaining frames are small.
    const approaching = (timeS: number) => [faceOf(timeS < 2 ? 50 : 180)]
    const { tracker } = await tracked({ faces: approaching, isTurned: (timeS) => timeS > 2 })
    const { movement, framesTurned } = tracker.measure()
    expect([movement.status, framesTurned]).toEqual(['too_small', 30])
    const { eyesApart } = movement as { eyesApart: number }
    expect(eyesApart).toBeGreaterThan(0)
    expect(eyesApart).toBeLessThan(eyesApartMin)
    const straight = await tracked({ faces: approaching })
    expect(straight.tracker.measure().movement.status).toBe('too_few')
  })

  it('count frames that are identical to the previous one', async () => {
    const share = async (image: Scene['image']) =>
      (await tracked({ faces: one, ...(image && { image }) })).tracker.measure().repeatedShare
    expect(await share(undefined)).toBe(0)
    expect(await share(() => same)).toBe(1)
    expect(await share((i) => picture(i >> 1))).toBeCloseTo(25 / 49, 5)
    expect(await share((i) => ({ ...same, data: same.data.with(4, i) }))).toBe(0)
  })
})

describe('what challenges are measured on', () => {
  it('is kept of each frame with a face, and of every second one where perspective is enough', async () => {
    const { tracker } = await tracked({ faces: (timeS) => (timeS < 1 ? [] : one()), challenge: true })
    const { light, approach } = tracker.measure()
    expect(light!.length).toBeGreaterThan(35)
    expect(light![0]!.timeS).toBeGreaterThanOrEqual(1)
    expect(light![0]!.share).toBeGreaterThan(0.2)
    // The face of the fixture has about the same grey everywhere.
    expect(light![0]!.colours.slice(0, 3).every((value) => value > 500 && value < 5000)).toBe(true)
    expect(approach!.frames.length).toBeLessThanOrEqual(50)
    expect(approach!.frames[0]!.places).toHaveLength(2 * approach!.depths.length)
  })

  it('is not kept where no challenge asks for it', async () => {
    const { tracker } = await tracked({ faces: one })
    expect(tracker.measure()).not.toHaveProperty('light')
    expect(tracker.measure()).not.toHaveProperty('approach')
  })
})

describe('the best frame of a clip', () => {
  it('is decoded in full size once if no better one follows, with its face in pixels of that picture', async () => {
    const { tracker, calls } = await tracked({ faces: one, image: () => same })
    const best = await tracker.readBest()
    expect(calls).toMatchObject({ kept: 1, read: 1 })
    expect(best!.pyramid.image.width).toBe(2 * width)
    expect(best!.face.box.width).toBeGreaterThan(300)
  })

  it('shows the person of most frames, even if frames of others score higher', async () => {
    const { tracker } = await tracked({ faces: one, axis: (timeS) => (timeS < 1.5 ? 0 : 1) })
    expect((await tracker.readBest())!.timeS).toBeGreaterThan(1.5)
  })
})
