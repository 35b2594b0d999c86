import type { Engine } from '../../src/inference/engine.ts'
import { openLocalEngine } from '../../src/platform/server-engine.ts'
import { openModels } from '../../src/platform/server-models.ts'
import { readSettings } from '../../src/settings.ts'
import { noClips, testCodecs, testMd5 } from '../../test/fixtures/codecs.ts'
import { openFileAssessor } from '../../test/fixtures/file-assessor.ts'
import { openReferenceEngine } from '../../test/fixtures/reference-engine.ts'
import type { Contender } from './contender.ts'
import { openNativeEngine, openSharpCodecs } from './native.ts'

/** All stages: decode, detect, landmarks, quality, PAD, template, best shot. */
const wanted = { faces: true, template: true, pad: true, bestShot: true, thumbnail: true }

/** All of our stages, with one engine and one set of codecs. */
export type Assembly = 'wasm' | 'ort' | 'native engine' | 'native'

const names: Record<Assembly, string> = {
  wasm: 'vivace, own engine, PAD included',
  ort: 'vivace, ONNX runtime in WebAssembly',
  'native engine': 'vivace, native onnxruntime',
  native: 'vivace, native onnxruntime and sharp',
}

/** Opens contenders of the profile in the settings. */
export async function openAssemblies(
  assemblies: readonly Assembly[],
  benchFolder: string,
): Promise<{ profile: string; contenders: Contender[] }> {
  const settings = readSettings(process.env)
  const { chosen, files } = await openModels(settings, {
    onProgress: (line) => process.stderr.write(`${line}\n`),
  })
  const engines: Record<Assembly, () => Promise<Engine>> = {
    wasm: () => openLocalEngine(files),
    ort: () => openReferenceEngine(files),
    'native engine': () => openNativeEngine(benchFolder, files),
    native: () => openNativeEngine(benchFolder, files),
  }
  const contenders: Contender[] = []
  for (const assembly of assemblies) {
    const assess = openFileAssessor({
      ...noClips,
      engine: await engines[assembly](),
      codecs: assembly === 'native' ? openSharpCodecs(benchFolder) : testCodecs,
      md5: testMd5,
      profileName: chosen.name,
      profile: chosen.profile,
      limits: { pixelsMax: settings.imageMegapixelsMax * 1e6 },
      monotonicMs: () => performance.now(),
    })
    contenders.push({
      name: names[assembly],
      async run(bytes) {
        const start = performance.now()
        const { stageMs } = await assess(bytes, wanted)
        return { ms: performance.now() - start, stages: { ...stageMs } }
      },
    })
  }
  return { profile: chosen.name, contenders }
}

/**
 * Our contenders; the first is the reference for all others.
 * @param hasPeers whether the native packages are installed
 */
export const openOurs = (benchFolder: string, hasPeers: boolean) =>
  openAssemblies(['wasm', 'ort', ...(hasPeers ? (['native engine', 'native'] as const) : [])], benchFolder)
