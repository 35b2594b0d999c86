import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { readDocument } from '../../../../../src/assess/assess-document.ts'
import { readVisualFields } from '../../../../../src/documents/visual/read-fields.ts'
import type { Engine } from '../../../../../src/inference/engine.ts'
import { checkGolden } from '../../../../../src/inference/golden.ts'
import { openLazyEngine } from '../../../../../src/inference/lazy-engine.ts'
import { openOwnEngine } from '../../../../../src/inference/own-engine.ts'
import { planNetworks } from '../../../../../src/inference/plan-networks.ts'
import { builtModelsFolder, openModels } from '../../../../../src/platform/server-models.ts'
import { compileInferenceKernel } from '../../../../../src/platform/server-wasm.ts'
import { readSettings } from '../../../../../src/settings.ts'
import { openPageReader } from '../../../../../src/vision/document/page-text/read-page.ts'
import { toPyramid } from '../../../../fixtures/codecs.ts'
import { drawText, turnPicture } from '../../../../fixtures/drawn-text.ts'

const settings = readSettings(process.env)
const { manifest, chosen } = await openModels(settings)
const { textDetection = '', textRecognition = '' } = manifest.documents
const entries = chosen.documents.filter(({ id }) => id === textDetection || id === textRecognition)
const kernel = await compileInferenceKernel()

async function open(model: string, quantised: boolean): Promise<Engine> {
  const entry = entries.find(({ id }) => id === model)!
  const bytes = new Uint8Array(await readFile(path.join(builtModelsFolder(settings), entry.file)))
  return openOwnEngine(kernel, planNetworks(new Map([[model, bytes]]), { quantised }))
}

const engine = openLazyEngine((model) => open(model, true))
const reader = openPageReader(engine, { detector: textDetection, recogniser: textRecognition })

const page = drawText(280, 90, [
  { text: 'PASSPORT', x: 20, y: 14, scale: 2 },
  { text: '12.08.1974', x: 60, y: 54, scale: 2 },
])

const withoutSpaces = (text: string) => text.replaceAll(' ', '')

describe('the networks of printed text', () => {
  it('have the golden values of the ONNX runtime on our own engine', async () => {
    expect(entries).toHaveLength(2)
    for (const entry of entries) await checkGolden(await open(entry.id, false), entry)
  })
})

describe('reading a page', () => {
  /** Where the first letter of the page stands after quarter turns clockwise. */
  const corners = [
    { x: 20, y: 14 },
    { x: 90 - 14, y: 20 },
    { x: 280 - 20, y: 90 - 14 },
    { x: 14, y: 280 - 20 },
  ]

  it.each([0, 1, 2, 3])('finds and reads its lines after %i quarter turns', async (turns) => {
    const lines = await reader.read(toPyramid(turnPicture(page, turns)))
    expect(lines.map(({ text }) => withoutSpaces(text))).toEqual(['PASSPORT', '12.08.1974'])
    const [first] = lines
    expect(first!.confidence).toBeGreaterThan(0.7)
    const [{ x, y }] = first!.place
    expect(Math.hypot(x - corners[turns]!.x, y - corners[turns]!.y)).toBeLessThan(14)
  })

  it('leaves out lines whose text is known', async () => {
    const date = [
      { x: 50, y: 48 },
      { x: 200, y: 48 },
      { x: 200, y: 76 },
      { x: 50, y: 76 },
    ] as const
    const lines = await reader.read(toPyramid(page), [date])
    expect(lines.map(({ text }) => text)).toEqual(['PASSPORT'])
  })

  it('finds no text on blank pages of any size', async () => {
    for (const [width, height] of [
      [1, 1],
      [200, 200],
      [7, 900],
    ] as const)
      expect(await reader.read(toPyramid(drawText(width, height, [])))).toEqual([])
  })

  it('is a part of the reading of a document, if it is asked for and there are networks', async () => {
    const pyramid = toPyramid(page)
    const documents = { textDetection, textRecognition }
    const { lines } = await readDocument({ lazyEngine: engine, documents }, pyramid, { page: true })
    expect(lines).toHaveLength(2)
    expect(readVisualFields(lines!).kind).toBe('passport')
    const unread = await readDocument({ lazyEngine: engine, documents }, pyramid, { page: false })
    expect(unread.lines).toBeNull()
    const workers = await readDocument({ lazyEngine: engine, documents: {} }, pyramid, { page: true })
    expect(workers.lines).toBeNull()
  })
})
