/** Compares our inference engine, as servers run it, with the ONNX runtime in float32: mesh points of the same faces. */
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { openProfileMethods } from '../../src/assess/assessor-deps.ts'
import type { Engine } from '../../src/inference/engine.ts'
import { openLocalEngine } from '../../src/platform/server-engine.ts'
import { openModels } from '../../src/platform/server-models.ts'
import { readSettings } from '../../src/settings.ts'
import { detectFaces } from '../../src/vision/detect.ts'
import { toPyramid } from '../../test/fixtures/codecs.ts'
import { decode } from '../../test/fixtures/portraits.ts'
import { openReferenceEngine } from '../../test/fixtures/reference-engine.ts'
import { engineText, type MeshOffsets, measureOffsets } from './engine-report.ts'
import { readTables } from './tables.ts'

/** @param jsonFile output file for the figures as JSON */
export async function measureEngines(folder: string, jsonFile: string | undefined): Promise<void> {
  const { chosen, files } = await openModels(readSettings({ LOG_LEVEL: 'warn', ...process.env }))
  const { detector, landmarks } = chosen.profile
  const networks = new Map([detector, landmarks].map((id) => [id, files.get(id)!]))
  const open = (engine: Engine) => openProfileMethods(engine, chosen.profile)
  const [own, reference] = [open(await openLocalEngine(networks)), open(await openReferenceEngine(networks))]
  const { pairs } = await readTables(folder)
  const pictures = [...new Set(pairs.flatMap(({ a, b }) => [a, b]))].sort()
  const offsets: MeshOffsets[] = []
  for (const [i, file] of pictures.entries()) {
    process.stderr.write(`\r${i + 1} of ${pictures.length} portraits `)
    const picture = toPyramid(await decode(new Uint8Array(await readFile(path.join(folder, file)))))
    const { pyramid, faces } = await detectFaces(own.detector, own.landmarks, picture)
    const [face] = faces
    if (!face) continue
    offsets.push(measureOffsets(await own.landmarks(pyramid, face), await reference.landmarks(pyramid, face)))
  }
  process.stderr.write('\n')
  process.stdout.write(`profile ${chosen.name}, ${landmarks}\n${engineText(pictures.length, offsets)}\n`)
  if (jsonFile)
    await writeFile(jsonFile, `${JSON.stringify({ profile: chosen.name, landmarks, offsets }, null, 2)}\n`)
}
