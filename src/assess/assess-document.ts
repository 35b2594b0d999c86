/** What a picture of a document says. */
import { isDoublePageSpread } from '../documents/double-page.ts'
import { isWholeZone } from '../documents/mrz/whole-zone.ts'
import type { DocumentReading, MrzReading, TextLineReading } from '../documents/reading.ts'
import { findZones } from '../vision/document/find-zones.ts'
import { openLineReader } from '../vision/document/line-reader.ts'
import { openPageReader } from '../vision/document/page-text/read-page.ts'
import { findRecaptureHints } from '../vision/document/recapture-hints.ts'
import { openSecondReader } from '../vision/document/second-reader.ts'
import type { Pyramid } from '../vision/pyramid.ts'
import type { AssessorDeps } from './assessor-deps.ts'

type ReaderDeps = Pick<AssessorDeps, 'lazyEngine' | 'documents'>

/** @returns `null` where the networks of printed text are missing, as on Workers */
async function readLines(
  { lazyEngine, documents }: ReaderDeps,
  pyramid: Pyramid,
  zones: readonly MrzReading[],
): Promise<TextLineReading[] | null> {
  const { textDetection: detector, textRecognition: recogniser } = documents
  if (detector === undefined || recogniser === undefined) return null
  const known = zones.map(({ place }) => place)
  return openPageReader(lazyEngine, { detector, recogniser }).read(pyramid, known)
}

/** The network of printed text reads zones that are not proven, where it is loaded anyway. */
async function readZones(
  { lazyEngine, documents: { mrz, textRecognition } }: ReaderDeps,
  pyramid: Pyramid,
  wanted: { page: boolean },
): Promise<MrzReading[]> {
  if (mrz === undefined) return []
  const isLoaded = wanted.page && textRecognition !== undefined
  const second = isLoaded ? openSecondReader(lazyEngine, textRecognition) : undefined
  return findZones(openLineReader(lazyEngine, mrz), pyramid, second)
}

/**
 * Reads the document in a picture. Its networks are opened with the first one.
 * @throws {AppError} `engine_unavailable`
 */
export async function readDocument(
  deps: ReaderDeps,
  pyramid: Pyramid,
  wanted: { page: boolean },
): Promise<DocumentReading> {
  const zones = await readZones(deps, pyramid, wanted)
  const lines = wanted.page ? await readLines(deps, pyramid, zones) : null
  const { width, height } = pyramid
  const [first] = zones
  const zone = first && isWholeZone(first) ? first : undefined
  return {
    ...{ zones, lines },
    hints: findRecaptureHints(pyramid, zone),
    doublePageSpread: isDoublePageSpread({ width, height, zone, lines }),
  }
}
