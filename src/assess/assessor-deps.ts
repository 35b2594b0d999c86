/** Dependencies of the assessment of every medium. */
import type { Engine } from '../inference/engine.ts'
import type { DocumentNetworks, Profile, ProfileName } from '../inference/manifest.ts'
import type { ImageLimits } from '../media/decode-image.ts'
import type { ImageCodecs } from '../media/image-codecs.ts'
import { openFaceDetector } from '../vision/detectors/registry.ts'
import type { FaceDetector } from '../vision/face.ts'
import { type LandmarkMethod, openLandmarkMethod } from '../vision/landmarks.ts'
import { openPadMethod, type PadMethod } from '../vision/pad/pad-method.ts'
import { openTemplateMethod } from '../vision/templates/registry.ts'
import type { TemplateMethod } from '../vision/templates/template-method.ts'
import type { StageTimes } from './assessment.ts'
import type { Md5 } from './shots.ts'

/** The methods that run a profile's networks. */
export interface ProfileMethods {
  detector: FaceDetector
  landmarks: LandmarkMethod
  pad: PadMethod
  template: TemplateMethod
}

export interface AssessorDeps {
  methods: ProfileMethods
  /** Opens networks when they are first run: those of no profile. */
  lazyEngine: Engine
  documents: DocumentNetworks
  codecs: ImageCodecs
  md5: Md5
  profileName: ProfileName
  limits: ImageLimits
  /** Milliseconds of a monotonic clock. */
  monotonicMs: () => number
}

/** Opens the methods that run a profile's networks. */
export const openProfileMethods = (
  engine: Engine,
  { detector, landmarks, pad, template }: Profile,
): ProfileMethods => ({
  detector: openFaceDetector(engine, detector),
  landmarks: openLandmarkMethod(engine, landmarks),
  pad: openPadMethod(engine, pad),
  template: openTemplateMethod(engine, template),
})

/** Measures the duration of each stage; repeated stages add up. A stage within another counts for itself alone. */
export function startStopwatch(now: () => number) {
  const stageMs: StageTimes = {}
  let innerMs = 0
  const start = (name: keyof StageTimes) => {
    const [startMs, before] = [now(), innerMs]
    return () => {
      const ms = now() - startMs
      stageMs[name] = (stageMs[name] ?? 0) + ms - (innerMs - before)
      innerMs = before + ms
    }
  }
  return {
    stageMs,
    async stage<T>(name: keyof StageTimes, work: () => T | Promise<T>): Promise<T> {
      const end = start(name)
      try {
        return await work()
      } finally {
        end()
      }
    },
    /** As `stage`, for work that is not asynchronous. */
    innerStage<T>(name: keyof StageTimes, work: () => T): T {
      const end = start(name)
      try {
        return work()
      } finally {
        end()
      }
    },
  }
}

export type Stopwatch = ReturnType<typeof startStopwatch>
