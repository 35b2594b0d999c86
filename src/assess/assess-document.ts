/** What a picture of a document says. */
import type { DocumentReading } from '../documents/reading.ts'
import { findZones } from '../vision/document/find-zones.ts'
import { openLineReader } from '../vision/document/line-reader.ts'
import { findRecaptureHints } from '../vision/document/recapture-hints.ts'
import type { Pyramid } from '../vision/pyramid.ts'
import type { AssessorDeps } from './assessor-deps.ts'

/**
 * Reads the document in a picture. Its networks are opened with the first one.
 * @throws {AppError} `engine_unavailable`
 */
export async function readDocument(
  { lateEngine, documents }: Pick<AssessorDeps, 'lateEngine' | 'documents'>,
  pyramid: Pyramid,
): Promise<DocumentReading> {
  const zones =
    documents.mrz === undefined ? [] : await findZones(openLineReader(lateEngine, documents.mrz), pyramid)
  return {
    zones,
    lines: null,
    hints: findRecaptureHints(pyramid),
    doublePageSpread: null,
    place: null,
  }
}
