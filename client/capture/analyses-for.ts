/** Which analyses fit captures. */
import { type Client, call } from '../call.ts'
import { ApiError } from '../errors.ts'
import { type Capture, isDocument } from './describe-capture.ts'

/**
 * Analyses that fit captures: liveness of faces, comparison where there is a portrait of a document to compare with, and the
 * fields of documents that come alone, which liveness refuses. The tags decide, as they do on the server.
 */
export function analysesFor(captures: readonly Pick<Capture, 'tags'>[]): { type: string }[] {
  if (captures.every(isDocument)) return [{ type: 'documents' }]
  const hasPortrait = captures.some(({ tags }) => tags.includes('photo_id_front'))
  return [{ type: 'quality' }, ...(hasPortrait ? [{ type: 'biometry' }] : [])]
}

/** The answers of servers that tell this caller nothing about themselves. */
const tellsNothing = new Set([401, 403, 404])

async function analysesDocuments(client: Client, signal: AbortSignal | undefined): Promise<boolean> {
  try {
    const config = await call(client, 'GET /api/config', signal ? { signal } : {})
    return config.documents_analysis_enabled === true
  } catch (error) {
    if (error instanceof ApiError && tellsNothing.has(error.status)) return false
    throw error
  }
}

/**
 * The same without what the server does not offer: a kept folder may wait for an operator, while Instant needs an analysis.
 * @throws {ApiError} if the server cannot tell now; {NetworkError} if it cannot be reached
 */
export async function chooseAnalyses(
  client: Client,
  captures: readonly Capture[],
  destination: 'instant' | 'folders',
  signal?: AbortSignal,
): Promise<readonly { type: string }[]> {
  const chosen = analysesFor(captures)
  if (destination === 'instant' || !chosen.some(({ type }) => type === 'documents')) return chosen
  return (await analysesDocuments(client, signal)) ? chosen : []
}
