/** The scores in answers equal those of the pipeline, on every runtime. */

import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import type { Assessment } from '../../src/assess/assessment.ts'
import { readCohort } from '../../src/decide/cohort.ts'
import { compareTemplates, normalizeTemplate } from '../../src/decide/comparison.ts'
import { invariant } from '../../src/errors.ts'
import type { ModelId } from '../../src/inference/engine.ts'
import { chooseProfile, type ProfileName } from '../../src/inference/manifest.ts'
import { openLocalEngine } from '../../src/platform/server-engine.ts'
import { builtModelsFolder, modelsFolder, readManifest } from '../../src/platform/server-models.ts'
import { readSettings } from '../../src/settings.ts'
import { noClips, testCodecs, testMd5 } from '../fixtures/codecs.ts'
import { openFileAssessor } from '../fixtures/file-assessor.ts'
import { manLarge, manSmall } from '../fixtures/packages.ts'
import { pixelsMax, portrait } from '../fixtures/portraits.ts'
import { file, form, postBytes, postForm, send } from './client.ts'

const tolerance = 1e-3
const pictures = [
  () => portrait('redhead'),
  () => portrait('redheadAgain'),
  () => portrait('brunette'),
  () => portrait('longHair'),
  () => portrait('smiling'),
  manSmall,
  manLarge,
]

let photos: Uint8Array[]
let assessments: Assessment[]
let similarity: (a: Assessment, b: Assessment) => number

beforeAll(async () => {
  const manifest = await readManifest()
  const profileName = (await send('/api/healthcheck')).json.components.models.profile as ProfileName
  const chosen = chooseProfile(manifest, profileName, 'any')
  const folder = builtModelsFolder(readSettings(process.env))
  const files = new Map<ModelId, Uint8Array>()
  for (const { id, file: name } of chosen.entries) {
    files.set(id, new Uint8Array(await readFile(path.join(folder, name))))
  }
  const assess = openFileAssessor({
    ...noClips,
    engine: await openLocalEngine(files),
    codecs: testCodecs,
    md5: testMd5,
    profileName,
    profile: chosen.profile,
    limits: { pixelsMax },
    monotonicMs: () => 0,
  })
  const cohort = readCohort(
    chosen.cohort,
    new Uint8Array(await readFile(path.join(modelsFolder, chosen.cohort.file))),
  )
  const place = ({ subject }: Assessment) => {
    invariant(subject?.template.status === 'extracted', 'every picture shows a face')
    return normalizeTemplate(cohort, subject.template.template)
  }
  similarity = (a, b) => compareTemplates(place(a), place(b)).score
  photos = await Promise.all(pictures.map((read) => read()))
  assessments = []
  for (const photo of photos) {
    assessments.push(await assess(photo, { faces: true, template: true, pad: true, bestShot: false }))
  }
})

it('liveness scores are those of the pipeline, in Lite and in full', async () => {
  for (const [i, photo] of photos.entries()) {
    const pad = assessments[i]?.subject?.pad
    const expected = pad?.status === 'assessed' ? pad.attack : Number.NaN
    const lite = await postBytes('/v1/face/liveness/detect', photo, 'image/jpeg')
    expect(Math.abs(lite.json.score - expected)).toBeLessThanOrEqual(tolerance)
    const full = await postForm(
      '/api/instant/folders/',
      form([file('a', photo)], { analyses: [{ type: 'quality' }] }),
    )
    expect(Math.abs(full.json.analyses[0].results_data.confidence_spoofing - expected)).toBeLessThanOrEqual(
      tolerance,
    )
  }
})

it('1:1 verification scores are those of the pipeline, in Lite and in full', async () => {
  for (const [i, j] of [
    [0, 1],
    [0, 2],
    [2, 3],
    [3, 4],
    [5, 6],
    [4, 6],
  ] as const) {
    const expected = similarity(assessments[i]!, assessments[j]!)
    const parts = form([file('sample_1', photos[i]!), file('sample_2', photos[j]!)])
    const lite = await postForm('/v1/face/pattern/extract_and_compare', parts)
    expect(Math.abs(lite.json.score - expected)).toBeLessThanOrEqual(tolerance)
    const both = form([file('a', photos[i]!), file('b', photos[j]!)], { analyses: [{ type: 'biometry' }] })
    const full = await postForm('/api/instant/folders/', both)
    expect(Math.abs(full.json.analyses[0].results_data.min_confidence - expected)).toBeLessThanOrEqual(
      tolerance,
    )
  }
})
