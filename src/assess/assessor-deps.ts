/** What every medium is assessed with. */
import type { Engine } from '../inference/engine.ts'
import type { Profile, ProfileName } from '../inference/manifest.ts'
import type { ImageLimits } from '../media/decode-image.ts'
import type { ImageCodecs } from '../media/image-codecs.ts'
import { openFaceDetector } from '../vision/detectors/registry.ts'
import type { FaceDetector } from '../vision/face.ts'
import { type LandmarkMethod, openLandmarkMethod } from '../vision/landmarks.ts'
import { openPadMethod, type PadMethod } from '../vision/pad/pad-method.ts'
import { openTemplateMethod } from '../vision/templates/registry.ts'
import type { TemplateMethod } from '../vision/templates/template-method.ts'
import type { StageTimes } from './assessment.ts'
import type { CompareTemplates } from './clip-identity.ts'
import type { Md5 } from './shots.ts'

/** A face with a shorter box gives no template that could be trusted. */
export const templateFaceSideMin = 40

export interface AssessorDeps {
  engine: Engine
  codecs: ImageCodecs
  md5: Md5
  profileName: ProfileName
  profile: Profile
  limits: ImageLimits
  /** Milliseconds of a clock that only runs forward. */
  monotonicMs: () => number
  detector: FaceDetector
  landmarks: LandmarkMethod
  pad: PadMethod
  template: TemplateMethod
  /** Tells whether the frames of a clip show one person. */
  compare: CompareTemplates
}

/** The networks of a profile, as methods. */
export const openProfileMethods = (
  engine: Engine,
  { detector, landmarks, pad, template }: Profile,
): Pick<AssessorDeps, 'detector' | 'landmarks' | 'pad' | 'template'> => ({
  detector: openFaceDetector(engine, detector),
  landmarks: openLandmarkMethod(engine, landmarks),
  pad: openPadMethod(engine, pad),
  template: openTemplateMethod(engine, template),
})

/** Measures how long each stage takes. */
export function startStopwatch(now: () => number) {
  const stageMs: StageTimes = {}
  return {
    stageMs,
    async stage<T>(name: keyof StageTimes, work: () => T | Promise<T>): Promise<T> {
      const start = now()
      try {
        return await work()
      } finally {
        stageMs[name] = (stageMs[name] ?? 0) + now() - start
      }
    },
  }
}

export type Stopwatch = ReturnType<typeof startStopwatch>
