import { createRequire } from 'node:module'
import path from 'node:path'
import { openMediumAssessor } from '../../src/assess/assess-medium.ts'
import type { Engine, ModelId, Tensor } from '../../src/inference/engine.ts'
import { openLocalEngine } from '../../src/platform/server-engine.ts'
import { openModels } from '../../src/platform/server-models.ts'
import { readSettings } from '../../src/settings.ts'
import { noClips, testCodecs, testMd5 } from '../fixtures/codecs.ts'
import type { Contender } from './contender.ts'

interface NativeSession {
  inputNames: string[]
  run(feeds: Record<string, unknown>): Promise<Record<string, { data: Float32Array; dims: number[] }>>
}

interface NativeRuntime {
  InferenceSession: { create(bytes: Uint8Array, options: object): Promise<NativeSession> }
  Tensor: new (type: string, data: Float32Array, dims: readonly number[]) => unknown
}

/** Runs the networks with `onnxruntime-node`, one thread. */
export async function openNativeEngine(
  benchFolder: string,
  files: ReadonlyMap<ModelId, Uint8Array>,
): Promise<Engine> {
  const native = createRequire(path.join(benchFolder, 'package.json'))('onnxruntime-node') as NativeRuntime
  const sessions = new Map<ModelId, NativeSession>()
  for (const [id, bytes] of files) {
    sessions.set(
      id,
      await native.InferenceSession.create(bytes, { intraOpNumThreads: 1, interOpNumThreads: 1 }),
    )
  }
  return {
    async run(model, image) {
      const session = sessions.get(model)!
      const input = new native.Tensor('float32', image.data, image.shape)
      const outputs = await session.run({ [session.inputNames[0]!]: input })
      return Object.fromEntries(
        Object.entries(outputs).map(([name, { data, dims }]): [string, Tensor] => [
          name,
          { data, shape: dims },
        ]),
      )
    },
  }
}

/** All stages: decode, detect, landmarks, quality, PAD, template, best shot. */
const wanted = { faces: true, template: true, pad: true, bestShot: true }

/**
 * Our contenders; the first is the reference for all others.
 * @param benchFolder folder with the native runtime; `null` skips it
 */
export async function openOurs(
  benchFolder: string | null,
): Promise<{ profile: string; contenders: Contender[] }> {
  const settings = readSettings(process.env)
  const { chosen, files } = await openModels(settings, {
    onProgress: (line) => process.stderr.write(`${line}\n`),
  })
  const contender = (name: string, engine: Engine): Contender => {
    const assess = openMediumAssessor({
      ...noClips,
      engine,
      codecs: testCodecs,
      md5: testMd5,
      profileName: chosen.name,
      profile: chosen.profile,
      limits: { pixelsMax: settings.imageMegapixelsMax * 1e6 },
      monotonicMs: () => performance.now(),
    })
    return {
      name,
      async run(bytes) {
        const start = performance.now()
        const { stageMs } = await assess(bytes, wanted)
        return { ms: performance.now() - start, stages: { ...stageMs } }
      },
    }
  }
  return {
    profile: chosen.name,
    contenders: [
      contender('vivace, own engine, PAD included', await openLocalEngine(files, 'auto')),
      contender('vivace, ONNX runtime in WebAssembly', await openLocalEngine(files, 'onnxruntime')),
      ...(benchFolder
        ? [contender('vivace, native onnxruntime', await openNativeEngine(benchFolder, files))]
        : []),
    ],
  }
}
