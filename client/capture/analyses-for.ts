/** Which analyses fit captures. */
import type { Client } from '../call.ts'
import { type Capture, isDocument } from './describe-capture.ts'
import type { Destination } from './destination.ts'
import { readConfig } from './server-config.ts'

/**
 * Analyses that fit captures: liveness of faces, comparison where there is a portrait of a document to compare with, and the
 * fields of documents that come alone, which liveness refuses. The tags decide, as they do on the server.
 */
export function analysesFor(captures: readonly Pick<Capture, 'tags'>[]): { type: string }[] {
  if (captures.every(isDocument)) return [{ type: 'documents' }]
  const hasPortrait = captures.some(({ tags }) => tags.includes('photo_id_front'))
  return [{ type: 'quality' }, ...(hasPortrait ? [{ type: 'biometry' }] : [])]
}

/**
 * The same without what the server does not offer: a kept folder may wait for an operator, while Instant needs an analysis. A link
 * names its analyses itself.
 * @throws {ApiError} if the server cannot tell now; {NetworkError} if it cannot be reached
 */
export async function chooseAnalyses(
  client: Client,
  captures: readonly Capture[],
  destination: Destination,
  signal?: AbortSignal,
): Promise<readonly { type: string }[]> {
  if (destination === 'link') return []
  const chosen = analysesFor(captures)
  if (destination === 'instant' || !chosen.some(({ type }) => type === 'documents')) return chosen
  return (await readConfig(client, signal))?.documents_analysis_enabled ? chosen : []
}
