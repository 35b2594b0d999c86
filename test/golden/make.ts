/**
 * Writes `portraits.json`: what the pipeline answers on portraits from installed packages when the networks run in the
 * native ONNX runtime.
 *
 *   npm ci --prefix tools/bench && node scripts/run.mjs test/golden/make.ts
 *
 * Needs the built networks of both profiles.
 */
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { ModelId } from '../../src/inference/engine.ts'
import { chooseProfile } from '../../src/inference/manifest.ts'
import { builtModelsFolder, modelsFolder, readManifest } from '../../src/platform/server-models.ts'
import { readSettings } from '../../src/settings.ts'
import { openNativeEngine } from '../../tools/bench/native.ts'
import { goldenAnswers } from './answers.ts'

const root = path.join(modelsFolder, '..')
const folder = builtModelsFolder(readSettings(process.env))
const files = new Map<ModelId, Uint8Array>()
const manifest = await readManifest()
for (const profile of ['standard', 'embedded'] as const) {
  for (const { id, file } of chooseProfile(manifest, profile, 'any').entries)
    files.set(id, new Uint8Array(await readFile(path.join(folder, file))))
}
const engine = await openNativeEngine(path.join(root, 'tools/bench'), files)
const answers = {
  standard: await goldenAnswers(engine, 'standard'),
  embedded: await goldenAnswers(engine, 'embedded'),
}
await writeFile(path.join(root, 'test/golden/portraits.json'), `${JSON.stringify(answers, null, 2)}\n`)
