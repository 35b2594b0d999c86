/** Sends captures: sealed where the server has keys for it, else as a form. */
import type { Folder } from '../answers.ts'
import { type Client, call } from '../call.ts'
import { ApiError } from '../errors.ts'
import { waitForFolder } from '../folders.ts'
import type { JsonObject } from '../operations.ts'
import { type CaptureEvidence, type JsonWebKeySet, readSessionToken, sealContainer } from '../seal.ts'
import type { Progress } from '../transport.ts'

/** One captured medium. */
export interface Capture {
  /** Its key in the payload. */
  key: string
  blob: Blob
  tags: readonly string[]
  evidence?: CaptureEvidence
}

/** `auto` seals if the server analyses containers and gives a session token; `always` fails if it does not. */
export type Sealing = 'auto' | 'always' | 'never'

export interface SubmitOptions {
  /** Kept folders, or Instant calls that store nothing. */
  destination: 'instant' | 'folders'
  /** `null` for those that fit the captures. */
  analyses: readonly { type: string; params?: object }[] | null
  metadata: JsonObject
  session: CaptureSession | null
  onProgress?: (progress: Progress) => void
  signal?: AbortSignal
}

/** A session token with what the page needs to seal. */
export interface CaptureSession {
  token: string
  keys: JsonWebKeySet
  /** Gestures to perform, in this order. */
  gestures: readonly string[]
}

/** The answers of servers that have no containers, or give this caller no session token. */
const cannotSeal = new Set([401, 403, 404, 501])

/**
 * Prepares a sealed capture.
 * @param given a session token from the page's own backend
 * @returns `null` if the capture is sent as a form
 * @throws {ApiError} if `always` is asked for and the server cannot
 */
export async function openCaptureSession(
  client: Client,
  sealing: Sealing,
  given: string | null,
): Promise<CaptureSession | null> {
  if (sealing === 'never') return null
  try {
    if (sealing === 'auto' && !(await call(client, 'GET /api/config')).container_analysis_enabled) return null
    const keys = await call(client, 'GET /api/jwks')
    const token = given ?? (await call(client, 'POST /api/authorize/session_token', {})).session_token
    const { challenge } = readSessionToken(token)
    const steps = (challenge?.steps ?? []).filter(({ type }) => type === 'gesture')
    return { token, keys, gestures: steps.map(({ gesture }) => gesture) }
  } catch (error) {
    if (sealing === 'auto' && given === null && error instanceof ApiError && cannotSeal.has(error.status))
      return null
    throw error
  }
}

const extensions: Readonly<Record<string, string>> = {
  'video/mp4': 'mp4',
  'video/webm': 'webm',
  'video/quicktime': 'mov',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
}

/** The service tells formats by their bytes; the name is for people. */
const fileName = ({ key, blob }: Capture): string => `${key}.${extensions[blob.type] ?? 'bin'}`

const documentTags: ReadonlySet<string> = new Set(['photo_id', 'photo_id_front', 'photo_id_back'])

/**
 * Analyses that fit captures: liveness of faces, comparison where there is a portrait of a document to compare with, and the
 * fields of documents that come alone, which liveness refuses.
 */
export function analysesFor(captures: readonly Pick<Capture, 'tags'>[]): { type: string }[] {
  const hasFace = captures.some(({ tags }) => !tags.some((tag) => documentTags.has(tag)))
  if (!hasFace) return [{ type: 'documents' }]
  const hasDocument = captures.some(({ tags }) => tags.includes('photo_id_front'))
  return [{ type: 'quality' }, ...(hasDocument ? [{ type: 'biometry' }] : [])]
}

/** The same without what the server does not offer: a kept folder may wait for an operator, while Instant needs an analysis. */
async function chooseAnalyses(
  client: Client,
  captures: readonly Capture[],
  { analyses, destination }: SubmitOptions,
): Promise<readonly { type: string }[]> {
  const chosen = analyses ?? analysesFor(captures)
  if (analyses || destination === 'instant' || !chosen.some(({ type }) => type === 'documents')) return chosen
  return (await call(client, 'GET /api/config')).documents_analysis_enabled ? chosen : []
}

function writePayload(
  captures: readonly Capture[],
  analyses: readonly { type: string }[],
  { metadata }: SubmitOptions,
) {
  return {
    'folder:meta_data': metadata,
    'media:tags': Object.fromEntries(captures.map(({ key, tags }) => [key, [...tags]])),
    analyses: analyses as { type: 'quality' }[],
  }
}

async function seal(captures: readonly Capture[], session: CaptureSession, payload: object) {
  const media = captures.map(async (capture) => ({
    name: capture.key,
    bytes: new Uint8Array(await capture.blob.arrayBuffer()),
    tags: capture.tags,
    filename: fileName(capture),
    ...(capture.evidence ? { evidence: capture.evidence } : {}),
  }))
  return sealContainer({
    sessionToken: session.token,
    keys: session.keys,
    payload,
    media: await Promise.all(media),
  })
}

/**
 * Sends captures and waits for the verdict.
 * @throws {ApiError} if the server refuses them; {NetworkError} if it cannot be reached
 */
export async function submitCaptures(
  client: Client,
  captures: readonly Capture[],
  options: SubmitOptions,
): Promise<Folder> {
  const { destination, session, onProgress, signal } = options
  const operation = destination === 'instant' ? 'POST /api/instant/folders' : 'POST /api/folders'
  const payload = writePayload(captures, await chooseAnalyses(client, captures, options), options)
  const steering = { ...(onProgress ? { onProgress } : {}), ...(signal ? { signal } : {}) }
  const folder = session
    ? await call(client, operation, { bytes: await seal(captures, session, payload), ...steering })
    : await call(client, operation, {
        payload,
        media: Object.fromEntries(
          captures.map((capture) => [capture.key, { data: capture.blob, name: fileName(capture) }]),
        ),
        ...steering,
      })
  return folder.resolution_status === 'PROCESSING'
    ? waitForFolder(client, folder.folder_id, signal ? { signal } : {})
    : folder
}
