/** Prepares sealed captures. */
import { type Client, call } from '../call.ts'
import { ApiError } from '../errors.ts'
import { type ChallengeStep, type JsonWebKeySet, readSessionToken } from '../seal.ts'
import type { Destination } from './destination.ts'

/** `auto` seals if the server analyses containers and gives a session token; `always` fails if it does not. */
export type Sealing = 'auto' | 'always' | 'never'

/** A session token with what the page needs to seal. */
export interface CaptureSession {
  token: string
  keys: JsonWebKeySet
  /** What the person does in front of the camera, in this order. */
  steps: readonly ChallengeStep[]
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
  destination: Destination = 'instant',
): Promise<CaptureSession | null> {
  if (sealing === 'never') return null
  // Pages without HTTPS cannot seal.
  if (sealing === 'auto' && given === null && !crypto.subtle) return null
  try {
    if (sealing === 'auto' && !(await call(client, 'GET /api/config')).container_analysis_enabled) return null
    const keys = await call(client, 'GET /api/jwks')
    const operation =
      destination === 'link' ? 'POST /api/capture/session_token' : 'POST /api/authorize/session_token'
    const token = given ?? (await call(client, operation, {})).session_token
    const { challenge } = readSessionToken(token)
    return { token, keys, steps: challenge?.steps ?? [] }
  } catch (error) {
    if (sealing === 'auto' && given === null && error instanceof ApiError && cannotSeal.has(error.status))
      return null
    throw error
  }
}
