/** Engine and codecs for training and measuring, the same as in a worker of the server. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Engine, ModelId } from '../../src/inference/engine.ts'
import { type ImageCodecs, openImageCodecs } from '../../src/media/image-codecs.ts'
import { openLocalEngine } from '../../src/platform/server-engine.ts'
import { builtModelsFolder, readManifest } from '../../src/platform/server-models.ts'
import { compileCodecs, lateModules } from '../../src/platform/server-wasm.ts'
import { readSettings } from '../../src/settings.ts'

/** Opens all networks of both profiles. Build them with `npm run models` for each profile first. */
export async function openTrainingDeps(): Promise<{ engine: Engine; codecs: ImageCodecs }> {
  const settings = readSettings(process.env)
  const folder = builtModelsFolder(settings)
  const files = new Map<ModelId, Uint8Array>()
  for (const { id, file } of (await readManifest()).models) {
    files.set(id, new Uint8Array(await readFile(path.join(folder, file))))
  }
  const engine = await openLocalEngine(files)
  return { engine, codecs: openImageCodecs({ ...(await compileCodecs()), ...lateModules() }) }
}
