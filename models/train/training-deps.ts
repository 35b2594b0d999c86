/** Engine and codecs for training and measuring, the same as in a worker of the server. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import * as ort from '#ort'
import type { Engine, ModelId } from '../../src/inference/engine.ts'
import { openOrtEngine } from '../../src/inference/ort-engine.ts'
import { type ImageCodecs, openImageCodecs } from '../../src/media/image-codecs.ts'
import { builtModelsFolder, readManifest } from '../../src/platform/server-models.ts'
import { compileCodecs } from '../../src/platform/server-wasm.ts'
import { readSettings } from '../../src/settings.ts'

/** Opens all networks of both profiles. Build them with `npm run models` for each profile first. */
export async function openTrainingDeps(): Promise<{ engine: Engine; codecs: ImageCodecs }> {
  const folder = builtModelsFolder(readSettings(process.env))
  const files = new Map<ModelId, Uint8Array>()
  for (const { id, file } of (await readManifest()).models) {
    files.set(id, new Uint8Array(await readFile(path.join(folder, file))))
  }
  return { engine: await openOrtEngine(ort, files), codecs: openImageCodecs(await compileCodecs()) }
}
