/** Larger frames for small faces, and upright shots of rotated clips; with a fake decoder and fake networks. */

import { describe, expect, it } from 'vitest'
import { assessClip, type ClipDeps } from '../../../src/assess/assess-clip.ts'
import type { AssessmentRequest } from '../../../src/assess/assessment.ts'
import type { Engine, Tensor } from '../../../src/inference/engine.ts'
import type { ClipMedium } from '../../../src/media/opened-medium.ts'
import type { RgbaImage } from '../../../src/media/rgba-image.ts'
import type { VideoFacts, VideoFrame } from '../../../src/media/video/video-decoder.ts'
import type { GestureName } from '../../../src/vision/clip/gestures.ts'
import type { DetectedFace } from '../../../src/vision/face.ts'
import { meshIndex } from '../../../src/vision/facemesh.ts'
import { openLandmarkMethod } from '../../../src/vision/landmarks.ts'
import { registrationKernel, testCodecs, testMd5 } from '../../fixtures/codecs.ts'

const mp4: ClipMedium = {
  kind: 'clip',
  format: { container: 'mov', mimeType: 'video/mp4' },
  header: 'long',
  bytes: Uint8Array.of(0, 0, 0, 8),
}

const durationS = 2
const framesLooked = 24

function evenImage(width: number, height: number, shade: number): RgbaImage {
  return { width, height, data: new Uint8ClampedArray(width * height * 4).fill(shade) }
}

/**
 * A mesh with an eye distance of 96 of the crop's 192 pixels, which is 0.75 of the face. It fills the same part of its crop as a
 * detected face, so that the tracked face keeps its size.
 */
function meshTensor(): Tensor {
  const data = new Float32Array(468 * 3).fill(96)
  const place = (name: keyof typeof meshIndex, x: number, y: number) =>
    data.set([x, y, 0], meshIndex[name] * 3)
  place('rightEyeOuter', 48, 80)
  place('rightEyeInner', 84, 80)
  place('leftEyeInner', 108, 80)
  place('leftEyeOuter', 144, 80)
  place('rightLidUpper', 66, 76)
  place('rightLidLower', 66, 84)
  place('leftLidUpper', 126, 76)
  place('leftLidLower', 126, 84)
  place('mouthRight', 72, 130)
  place('mouthLeft', 120, 130)
  place('rightCheek', 32, 100)
  place('leftCheek', 160, 100)
  place('forehead', 96, 32)
  place('chin', 96, 160)
  return { data, shape: [1, 1404] }
}

/** A clock that moves where a clip is worked on. */
const clock = { ms: 0 }
const spend = <T>(ms: number, result: T): T => {
  clock.ms += ms
  return result
}

const engine: Engine = {
  run: async () => spend(1, { mesh: meshTensor(), presence: { data: Float32Array.of(1), shape: [1, 1] } }),
}

const wanted: AssessmentRequest = {
  faces: true,
  template: true,
  pad: true,
  bestShot: true,
  preview: true,
  actionShot: 'blank',
}

/** One pass over the clip: side of its frames, and number of frames read. */
interface Pass {
  sideMax: number
  times: number[]
}

/**
 * Assesses a fake clip.
 * @param side longer side of its stored frames
 * @param share side of the face relative to the frame, by time in seconds
 * @param isLying whether the face is detected only in rotated frames, by time in seconds; otherwise only in frames as they are
 * @param shape height of a frame divided by its width, by time in seconds
 */
async function assessed(
  side: number,
  share: (timeS: number) => number,
  isLying = (_: number) => false,
  asked: AssessmentRequest = wanted,
  shape = (_: number) => 9 / 16,
) {
  const passes: Pass[] = []
  let shownAtS = 0
  const facts: VideoFacts = {
    width: side,
    height: side * shape(0),
    rotation: 0,
    durationS,
    usedDurationS: durationS,
    framesPerSecond: 30,
    frames: 60,
    timing: null,
    container: 'mov',
    codec: 'h264',
    mimeType: 'video/mp4',
  }
  const frame = (timeS: number, sideMax: number): VideoFrame => {
    const factor = Math.min(1, sideMax / side)
    const height = side * shape(timeS)
    const shade = 80 + Math.round(timeS * 50)
    return {
      timeS,
      image: evenImage(Math.round(side * factor), Math.round(height * factor), shade),
      keepFullSize: () => async () => spend(17, evenImage(side, height, shade)),
    }
  }
  const parts: ClipDeps = {
    lazyEngine: engine,
    documents: {},
    codecs: testCodecs,
    registrationKernel,
    md5: (bytes) => spend(3, testMd5(bytes)),
    profileName: 'standard',
    limits: { pixelsMax: 1e7 },
    monotonicMs: () => clock.ms,
    methods: {
      landmarks: openLandmarkMethod(engine, 'facemesh-468'),
      detector: {
        inputSizes: [4000],
        farSide: 100,
        largeSide: Number.POSITIVE_INFINITY,
        reliableFacePx: 1,
        uprightConfidence: 0.8,
        detect: async (image): Promise<DetectedFace[]> => {
          if (isLying(shownAtS) === image.width > image.height) return []
          const length = image.width * share(shownAtS)
          const [x, y] = [image.width / 2, image.height / 2]
          const point = (px: number, py: number) => ({ x: x + px * length, y: y + py * length })
          return [
            {
              box: { x: x - length / 2, y: y - length / 2, width: length, height: length },
              confidence: 0.95,
              keypoints: {
                rightEye: point(-0.2, -0.1),
                leftEye: point(0.2, -0.1),
                nose: point(0, 0),
                mouth: point(0, 0.2),
              },
            },
          ]
        },
      },
      pad: async () => ({ attack: 0.1, replay: 0, modelIds: [] }),
      template: { id: 'made up', length: 2, extract: async () => spend(7, Float32Array.of(1, 0)) },
    },
    compare: () => spend(5, -3),
    videoLimits: {
      pixelsMax: 1e7,
      framesPerSecondMax: 60,
      durationMaxS: 10,
      longer: 'refuse',
      timeMaxMs: 1000,
    },
    decoder: {
      id: 'lean',
      reads: 'made-up clips',
      open: async () => ({
        ...spend(100, {}),
        facts,
        async *frames({ timesS, sideMax }) {
          const pass: Pass = { sideMax, times: [] }
          passes.push(pass)
          for (const timeS of timesS ?? []) {
            pass.times.push(timeS)
            shownAtS = timeS
            yield spend(11, frame(timeS, sideMax))
          }
        },
        frameAt: async (timeS) => spend(13, frame(timeS, side)),
        close() {},
      }),
    },
  }
  return { passes, assessment: await assessClip(parts, mp4, asked) }
}

const sides = (passes: readonly Pass[]) => passes.map(({ sideMax }) => sideMax)

describe('a clip with a small face', () => {
  it('is read again in frames with an eye distance of 60 pixels', async () => {
    // The eyes are 0.75 × 0.0625 × 640 = 30 pixels apart.
    const { passes, assessment } = await assessed(1920, () => 0.0625)
    expect(sides(passes)).toEqual([640, 1280])
    const [first, second] = passes
    expect(first!.times).toHaveLength(1)
    expect(second!.times).toHaveLength(framesLooked)
    expect(second!.times[0]).toBe(first!.times[0])
    // Frames of the first pass do not count twice.
    expect(assessment.clip).toMatchObject({ frames: framesLooked, framesWithoutFace: 0 })
  })

  it('is read again in frames that are not larger than needed', async () => {
    // 48 pixels of 640: 60 of 800.
    const { passes } = await assessed(1920, () => 0.1)
    expect(sides(passes)).toEqual([640, 800])
  })

  it('has a preview with frames of equal size', async () => {
    const { assessment } = await assessed(1920, () => 0.0625)
    const preview = Buffer.from(assessment.preview!.bytes).toString('latin1')
    expect(preview.match(/ANMF/g)).toHaveLength(8)
  })

  it.each([
    ['the face is large enough', 1920, () => 0.13, [640]],
    ['the clip has no larger frames', 640, () => 0.0625, [640]],
    ['the clip has frames a little larger', 720, () => 0.0625, [640, 720]],
    ['the face becomes small late', 1920, (timeS: number) => (timeS < 1 ? 0.13 : 0.0625), [640]],
  ])('is looked at in frames of the right size where %s', async (_, side, share, expected) => {
    expect(sides((await assessed(side, share)).passes)).toEqual(expected)
  })
})

it('makes only the pictures that were asked for, of as few frames as they need', async () => {
  const nothing = { faces: false, template: false, pad: false, bestShot: false }
  const { passes, assessment } = await assessed(640, () => 0.5, undefined, { ...nothing, snapshot: true })
  expect(assessment).toMatchObject({ thumbnail: null, preview: null, bestShot: null })
  expect(assessment.snapshot).toMatchObject({ width: 640, height: 360 })
  expect(passes.map(({ times }) => times.length)).toEqual([1])
  const all = await assessed(640, () => 0.5, undefined, { ...nothing, thumbnail: true, preview: true })
  expect(all.assessment).toMatchObject({
    thumbnail: { height: 120 },
    preview: { width: 320 },
    snapshot: null,
  })
})

it('has stages that all of its time belongs to', async () => {
  const startMs = clock.ms
  const { assessment } = await assessed(640, () => 0.5, undefined, { ...wanted, detail: true })
  const { stageMs } = assessment
  expect(Object.keys(stageMs).sort()).toEqual(['decode', 'frames', 'movement', 'shots', 'template'])
  expect(Object.values(stageMs).reduce((sum, ms) => sum + ms, 0)).toBe(clock.ms - startMs)
  // Opening, the best shot in full size, the action shot.
  expect(stageMs.decode).toBeGreaterThanOrEqual(100 + 17 + 13)
})

it('that lies on its side has upright shots and an upright preview', async () => {
  const { assessment } = await assessed(
    640,
    () => 0.5,
    () => true,
  )
  expect(assessment.quarterTurns).toBe(1)
  const upright = { width: 360, height: 640 }
  const preview = { width: 180, height: 320 }
  expect(assessment).toMatchObject({ bestShot: upright, actionShot: upright, preview })
})

it('has an action shot if the gesture is performed, not for the peak of a smaller movement', async () => {
  const asked = async (actionShot: GestureName) =>
    (await assessed(640, () => 0.5, undefined, { ...wanted, actionShot })).assessment
  const still = await asked('left')
  expect(still.clip!.gestures.left).toMatchObject({ isPerformed: false, timeS: expect.any(Number) })
  expect([still.actionShot, (await asked('blank')).actionShot]).toEqual([null, expect.any(Object)])
})

it('has a thumbnail for each shot that the thumbnail of the clip does not show', async () => {
  const own = { height: 120 }
  const received = await assessed(640, () => 0.5, undefined, { ...wanted, thumbnail: true })
  expect(received.assessment).toMatchObject({ thumbnail: own, actionShot: { thumbnail: own } })
  expect(received.assessment.bestShot).not.toHaveProperty('thumbnail')
  const kept = await assessed(640, () => 0.5, undefined, wanted)
  expect(kept.assessment).toMatchObject({ bestShot: { thumbnail: own }, actionShot: { thumbnail: own } })
})

describe('the direction of a clip', () => {
  const turnsAndPasses = async (isLying: (timeS: number) => boolean) => {
    const { assessment, passes } = await assessed(640, () => 0.5, isLying)
    return [assessment.quarterTurns, passes.length]
  }

  it('is that of most frames: if the first one was wrong, the clip is read again', async () => {
    expect(await turnsAndPasses((timeS) => timeS > 0.1)).toEqual([1, 2])
  })

  it('stays if a later frame seems to lie', async () => {
    expect(await turnsAndPasses((timeS) => timeS > 1 && timeS < 1.1)).toEqual([0, 1])
  })

  it('is found for each shape of its frames, but read again at most once', async () => {
    const inEach = (timeS: number) => timeS % 1 > 0.05
    const shapes = (timeS: number) => (timeS < 1 ? 9 / 16 : 0.5)
    const { passes } = await assessed(640, () => 0.5, inEach, wanted, shapes)
    expect(passes).toHaveLength(2)
  })
})
