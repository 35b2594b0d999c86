/** What other readers make of the zones of the same pages: printed text is read, and lines that may be those of a zone are taken. */

import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AssessorDeps } from '../../../src/assess/assessor-deps.ts'
import { openPageReader } from '../../../src/vision/document/page-text/read-page.ts'
import type { Pyramid } from '../../../src/vision/pyramid.ts'
import { benchFolder } from '../../bench/peer-files.ts'
import { countErrors } from './count-errors.ts'

/** Reads a picture. */
interface PeerReader {
  name: string
  read(file: string, pyramid: Pyramid): Promise<string[]>
  close(): Promise<void>
}

export interface PeerReading {
  peer: string
  file: string
  degradation: string
  ms: number
  /** Whether each line of the zone is among those read, without an error. */
  isRight: boolean
  characters: number
  errors: number
}

/** The symbols of zones in a line of text, with other forms of the filler. */
const toZoneText = (text: string): string =>
  text
    .toUpperCase()
    .replaceAll('«', '<<')
    .replaceAll(/[‹〈＜]/gu, '<')
    .replaceAll(/[^A-Z0-9<]/gu, '')

/** @throws {AppError} `engine_unavailable` */
function openPrintReader({
  lazyEngine,
  documents,
}: Pick<AssessorDeps, 'lazyEngine' | 'documents'>): PeerReader[] {
  const { textDetection: detector, textRecognition: recogniser } = documents
  if (detector === undefined || recogniser === undefined) return []
  const reader = openPageReader(lazyEngine, { detector, recogniser })
  return [
    {
      name: 'PP-OCRv4',
      read: async (_, pyramid) => (await reader.read(pyramid)).map(({ text }) => text),
      close: async () => {},
    },
  ]
}

interface TesseractWorker {
  setParameters(values: Record<string, string>): Promise<unknown>
  recognize(file: string): Promise<{ data: { text: string } }>
  terminate(): Promise<unknown>
}

/** Tesseract's usual English model, told which symbols there are; absent unless `tools/bench` is installed. */
async function openTesseract(): Promise<PeerReader[]> {
  const folder = path.join(benchFolder, 'node_modules')
  if (!existsSync(path.join(folder, 'tesseract.js'))) return []
  const { resolve } = createRequire(path.join(benchFolder, 'package.json'))
  const { createWorker } = (await import(pathToFileURL(resolve('tesseract.js')).href)) as unknown as {
    createWorker(language: string, mode: number, options: object): Promise<TesseractWorker>
  }
  const worker = await createWorker('eng', 1, {
    langPath: path.join(folder, '@tesseract.js-data', 'eng', '4.0.0'),
    cacheMethod: 'none',
  })
  await worker.setParameters({ tessedit_char_whitelist: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789<' })
  return [
    {
      name: 'tesseract.js',
      read: async (file) => (await worker.recognize(file)).data.text.split('\n'),
      close: async () => {
        await worker.terminate()
      },
    },
  ]
}

export const openPeerReaders = async (
  deps: Pick<AssessorDeps, 'lazyEngine' | 'documents'>,
): Promise<PeerReader[]> => [...openPrintReader(deps), ...(await openTesseract())]

/** Compares what a peer reads with the zone of the page. */
export async function readAsPeer(
  peer: PeerReader,
  page: { file: string; degradation: string; truth: readonly string[] },
  picture: { path: string; pyramid: Pyramid },
): Promise<PeerReading> {
  const start = performance.now()
  const lines = (await peer.read(picture.path, picture.pyramid)).map(toZoneText)
  const ms = performance.now() - start
  const errors = page.truth.map((wanted) =>
    Math.min(wanted.length, ...lines.map((line) => countErrors(line, wanted))),
  )
  return {
    ...{ peer: peer.name, file: page.file, degradation: page.degradation, ms },
    isRight: page.truth.every((wanted) => lines.includes(wanted)),
    characters: page.truth.reduce((sum, { length }) => sum + length, 0),
    errors: errors.reduce((sum, count) => sum + count, 0),
  }
}
