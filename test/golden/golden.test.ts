/** The pipeline in WebAssembly against the numbers of the native runtime, and of the networks' authors. */

import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ModelId } from '../../src/inference/engine.ts'
import { checkGolden } from '../../src/inference/golden.ts'
import { chooseProfile, type ProfileName } from '../../src/inference/manifest.ts'
import type { ModelFiles } from '../../src/inference/plan-networks.ts'
import { decodeImage, inspectImage } from '../../src/media/decode-image.ts'
import { openMedium } from '../../src/media/opened-medium.ts'
import { openLocalEngine } from '../../src/platform/server-engine.ts'
import { builtModelsFolder, openModels } from '../../src/platform/server-models.ts'
import { readSettings } from '../../src/settings.ts'
import { detectFaces } from '../../src/vision/detect.ts'
import { openYunet } from '../../src/vision/detectors/yunet.ts'
import { openLandmarkMethod } from '../../src/vision/landmarks.ts'
import { miniFasNetV1se, miniFasNetV2 } from '../../src/vision/pad/minifasnet.ts'
import { pictureEdits } from '../../tools/accuracy/edits/picture-edits.ts'
import { noClips, testCodecs, testMd5, toPyramid } from '../fixtures/codecs.ts'
import { openFileAssessor } from '../fixtures/file-assessor.ts'
import { decode, pixelsMax } from '../fixtures/portraits.ts'
import { openReferenceEngine } from '../fixtures/reference-engine.ts'
import { hasTestData, testData } from '../fixtures/test-data.ts'
import { type GoldenAnswer, goldenAnswers } from './answers.ts'

const settings = readSettings(process.env)
const folder = builtModelsFolder(settings)
/** The profile asked for: its networks must be there. */
const {
  manifest,
  chosen: { name: asked },
} = await openModels(settings)
const chosen = (profile: ProfileName) => chooseProfile(manifest, profile, 'any')

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'

/** The networks of a profile; `null` where they were not built because another profile was asked for. */
async function readNetworks(profile: ProfileName): Promise<ModelFiles | null> {
  const files = new Map<ModelId, Uint8Array>()
  for (const { id, file } of chosen(profile).entries) {
    const bytes = await readFile(path.join(folder, file)).catch((error: unknown) => {
      if (profile !== asked && isMissing(error)) return null
      throw error
    })
    if (!bytes) return null
    files.set(id, new Uint8Array(bytes))
  }
  return files
}

const engines = {
  'our engine': (files: ModelFiles) => openLocalEngine(files, { quantised: false }),
  'the ONNX runtime': openReferenceEngine,
}

const golden = JSON.parse(await readFile(path.join(import.meta.dirname, 'portraits.json'), 'utf8')) as Record<
  ProfileName,
  Record<string, GoldenAnswer>
>

function expectClose(
  actual: readonly number[],
  expected: readonly number[],
  tolerance: number,
  what: string,
): void {
  expect(actual.length, `${what}: how many values`).toBe(expected.length)
  expect(expected.length, `${what}: any values`).toBeGreaterThan(0)
  actual.forEach((value, i) => {
    expect(Math.abs(value - expected[i]!), `${what} ${i}`).toBeLessThanOrEqual(tolerance)
  })
}

for (const profile of ['standard', 'embedded'] as const) {
  const files = await readNetworks(profile)

  describe.skipIf(!files).each(Object.entries(engines))(`profile ${profile}, %s`, async (_, open) => {
    const engine = files && (await open(files))

    it('answers on portraits like the native runtime', async () => {
      const answers = await goldenAnswers(engine!, profile)
      expect(Object.keys(answers)).toEqual(Object.keys(golden[profile]))
      for (const [name, answer] of Object.entries(answers)) {
        const expected = golden[profile][name]!
        expectClose(answer.box, expected.box, 0.1, `${name} box`)
        expectClose([answer.confidence], [expected.confidence], 1e-3, `${name} confidence`)
        // The crop's borders are cut to whole pixels, so a box that differs in the fifth digit may move one.
        expectClose([answer.attack], [expected.attack], 1e-2, `${name} attack`)
        expectClose([answer.sharpness], [expected.sharpness], 1e-4, `${name} sharpness`)
        expectClose(answer.pose, expected.pose, 0.1, `${name} pose`)
        expectClose(answer.template, expected.template, 1e-4, `${name} template`)
      }
    })

    it('gives every network its golden numbers', async () => {
      for (const entry of chosen(profile).entries) await checkGolden(engine!, entry)
    })
  })
}

const standardFiles = await readNetworks('standard')
const standard = standardFiles && (await engines['our engine'](standardFiles))

/** p(live), the mean of both networks, as their authors' code gives it in the native runtime. */
const references = [
  ['pad/spoof/minivision_image_F1.jpg', 0.224],
  ['pad/spoof/minivision_image_F2.jpg', 0.002],
  ['pad/live/minivision_image_T1.jpg', 1.0],
] as const

describe.skipIf(!hasTestData || !standard)('the attack detection of the standard profile', () => {
  const engine = standard!

  it.each(references)('gives %s its reference score', async (file, expected) => {
    const bytes = await testData(file)
    const decoded = await decodeImage(testCodecs, bytes, inspectImage(openMedium(bytes), { pixelsMax }))
    const landmarks = openLandmarkMethod(engine, 'facemesh-468')
    const { pyramid, faces } = await detectFaces(openYunet(engine), landmarks, toPyramid(decoded))
    const [v2] = await miniFasNetV2.classify(engine, pyramid, faces[0]!)
    const [v1se] = await miniFasNetV1se.classify(engine, pyramid, faces[0]!)
    expect(Math.abs((v2!.live + v1se!.live) / 2 - expected)).toBeLessThanOrEqual(0.02)
  })

  const assess = openFileAssessor({
    ...noClips,
    engine,
    codecs: testCodecs,
    md5: testMd5,
    profileName: 'standard',
    profile: chosen('standard').profile,
    limits: { pixelsMax },
    monotonicMs: () => 0,
  })
  const wanted = { faces: true, template: false, pad: true, bestShot: false }
  const isTakenForLive = async (bytes: Uint8Array) => {
    const { faces, subject } = await assess(bytes, wanted)
    return { box: faces[0]!.box, live: subject?.pad.status === 'assessed' && subject.pad.attack < 0.5 }
  }

  it.each(references)('takes %s for what it is', async (file, expected) => {
    expect((await isTakenForLive(await testData(file))).live).toBe(expected > 0.5)
  })

  it.each(references)('takes %s for what it is whatever border is put around it', async (file, expected) => {
    const bytes = await testData(file)
    const { box } = await isTakenForLive(bytes)
    const image = await decode(bytes)
    for (const { name, change } of pictureEdits.filter((edit) =>
      /^(replicated|white).* 30 %$/.test(edit.name),
    )) {
      const sent = await testCodecs.encodeJpeg({ image: change({ image, box }), quality: 92 })
      expect((await isTakenForLive(sent)).live, name).toBe(expected > 0.5)
    }
  })
})
