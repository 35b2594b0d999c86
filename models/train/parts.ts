/** Engine and codecs for training and measuring, as a worker of the server has them. */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import * as ort from '#ort'
import type { Engine, ModelId } from '../../src/inference/engine.ts'
import type { Manifest } from '../../src/inference/manifest.ts'
import { openOrtEngine } from '../../src/inference/ort-engine.ts'
import { type ImageCodecs, openImageCodecs } from '../../src/media/image-codecs.ts'
import { compileCodecs } from '../../src/platform/server-wasm.ts'

const models = fileURLToPath(new URL('../', import.meta.url))

/** All built networks of both profiles; run `npm run models` for each first. */
export async function openTrainingParts(): Promise<{ engine: Engine; codecs: ImageCodecs }> {
  const manifest = JSON.parse(await readFile(`${models}manifest.json`, 'utf8')) as Manifest
  const files = new Map<ModelId, Uint8Array>()
  for (const { id, file } of manifest.models) {
    files.set(
      id,
      new Uint8Array(
        await readFile(
          process.env.MODELS_DIR ? `${process.env.MODELS_DIR}/${file}` : `${models}built/${file}`,
        ),
      ),
    )
  }
  return { engine: await openOrtEngine(ort, files), codecs: openImageCodecs(await compileCodecs()) }
}
