/**
 * Writes `portraits.json`: what the pipeline answers on portraits from installed packages when the networks run in the
 * native ONNX runtime.
 *
 *   npm ci --prefix test/bench && node scripts/run.mjs test/golden/make.ts
 *
 * Needs the built networks of both profiles.
 */
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { Engine, ModelId, Tensor } from '../../src/inference/engine.ts'
import { builtModelsFolder, modelsFolder, readManifest } from '../../src/platform/servers.ts'
import { readSettings } from '../../src/settings.ts'
import { goldenAnswers } from './answers.ts'

interface NativeSession {
  inputNames: string[]
  run(feeds: Record<string, unknown>): Promise<Record<string, { data: Float32Array; dims: number[] }>>
}

interface NativeRuntime {
  InferenceSession: { create(file: string, options: object): Promise<NativeSession> }
  Tensor: new (type: string, data: Float32Array, dims: readonly number[]) => unknown
}

const root = path.join(modelsFolder, '..')
const ort = createRequire(path.join(root, 'test/bench/package.json'))('onnxruntime-node') as NativeRuntime

async function openNativeEngine(): Promise<Engine> {
  const folder = builtModelsFolder(readSettings(process.env))
  const sessions = new Map<ModelId, NativeSession>()
  for (const { id, file } of (await readManifest()).models) {
    sessions.set(id, await ort.InferenceSession.create(path.join(folder, file), { intraOpNumThreads: 1 }))
  }
  return {
    async run(model, image) {
      const session = sessions.get(model)!
      const outputs = await session.run({
        [session.inputNames[0]!]: new ort.Tensor('float32', image.data, image.shape),
      })
      return Object.fromEntries(
        Object.entries(outputs).map(([name, { data, dims }]): [string, Tensor] => [
          name,
          { data, shape: dims },
        ]),
      )
    },
  }
}

const engine = await openNativeEngine()
const answers = {
  standard: await goldenAnswers(engine, 'standard'),
  embedded: await goldenAnswers(engine, 'embedded'),
}
await writeFile(path.join(root, 'test/golden/portraits.json'), `${JSON.stringify(answers, null, 2)}\n`)
