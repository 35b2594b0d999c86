import { invariant } from '../../src/errors.ts'
import type { Engine } from '../../src/inference/engine.ts'
import { chooseProfile, type ProfileName } from '../../src/inference/manifest.ts'
import { readManifest } from '../../src/platform/server-models.ts'
import { noClips, testCodecs, testMd5 } from '../fixtures/codecs.ts'
import { openFileAssessor } from '../fixtures/file-assessor.ts'
import { manLarge, manSmall } from '../fixtures/packages.ts'
import { pixelsMax, portrait } from '../fixtures/portraits.ts'

/** What is compared of one portrait's assessment. */
export interface GoldenAnswer {
  /** x, y, width, height in pixels. */
  box: number[]
  confidence: number
  attack: number
  sharpness: number
  /** Yaw, pitch, roll in degrees. */
  pose: number[]
  /** The first values of the template. */
  template: number[]
}

const pictures = {
  redhead: () => portrait('redhead'),
  redheadAgain: () => portrait('redheadAgain'),
  brunette: () => portrait('brunette'),
  longHair: () => portrait('longHair'),
  manSmall,
  manLarge,
}

/** Assesses the portraits of the golden test with any engine. */
export async function goldenAnswers(
  engine: Engine,
  profileName: ProfileName,
): Promise<Record<string, GoldenAnswer>> {
  const assess = openFileAssessor({
    ...noClips,
    engine,
    codecs: testCodecs,
    md5: testMd5,
    profileName,
    profile: chooseProfile(await readManifest(), profileName, 'any').profile,
    limits: { pixelsMax },
    monotonicMs: () => performance.now(),
  })
  const answers: Record<string, GoldenAnswer> = {}
  for (const [name, read] of Object.entries(pictures)) {
    const { faces, subject } = await assess(await read(), {
      faces: true,
      template: true,
      pad: true,
      bestShot: false,
    })
    invariant(
      faces[0] && subject?.pad.status === 'assessed' && subject.template.status === 'extracted',
      `${name} shows a face`,
    )
    const { box, confidence } = faces[0]
    const { pose, sharpness } = subject.quality
    answers[name] = {
      box: [box.x, box.y, box.width, box.height],
      confidence,
      attack: subject.pad.attack,
      sharpness,
      pose: [pose.yaw, pose.pitch, pose.roll],
      template: [...subject.template.template.vector.subarray(0, 16)],
    }
  }
  return answers
}
