import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkGolden } from '../../../../../src/inference/golden.ts'
import { assignNetworks } from '../../../../../src/inference/open-engine.ts'
import { openOwnEngine } from '../../../../../src/inference/own-engine.ts'
import { builtModelsFolder, openModels } from '../../../../../src/platform/server-models.ts'
import { compileInferenceKernel } from '../../../../../src/platform/server-wasm.ts'
import { readSettings } from '../../../../../src/settings.ts'

const settings = readSettings(process.env)
const { manifest, chosen } = await openModels(settings)
const { textDetection, textRecognition } = manifest.documents
const entries = chosen.documents.filter(({ id }) => id === textDetection || id === textRecognition)

describe('the networks of printed text', () => {
  it('run on our own engine, with the golden values of the ONNX runtime', async () => {
    expect(entries).toHaveLength(2)
    const kernel = await compileInferenceKernel()
    for (const entry of entries) {
      const bytes = new Uint8Array(await readFile(path.join(builtModelsFolder(settings), entry.file)))
      const { plans, files } = assignNetworks(new Map([[entry.id, bytes]]), 'own', { quantised: false })
      expect(files.size).toBe(0)
      await checkGolden(openOwnEngine(kernel, plans), entry)
    }
  })
})
