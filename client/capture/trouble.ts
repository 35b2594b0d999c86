/** Texts for what went wrong. */

import type { Analysis, Folder, Reason } from '../answers.ts'
import {
  ApiError,
  AuthenticationError,
  BusyError,
  NetworkError,
  PermissionError,
  ServerError,
  TimeoutError,
} from '../errors.ts'
import { CameraError } from './camera-error.ts'
import type { TextKey } from './texts.ts'

/** Codes of analyses that failed because of the picture. */
const byCode: Readonly<Record<number, TextKey>> = {
  3002: 'noFace',
  3003: 'severalFaces',
  3004: 'smallFace',
  3005: 'poor',
  3006: 'motionless',
  3007: 'turned',
  3008: 'samePicture',
  3009: 'noChallenge',
  3010: 'noDocument',
  3011: 'unreadable',
}

/** What the server advises where a clip does not tell whether a step of its challenge was performed. */
const byAdvice: Readonly<Record<string, TextKey>> = {
  less_light: 'lessLight',
  nearer: 'nearerNow',
  hold_still: 'steadier',
  again: 'incomplete',
  other_way: 'noLight',
}

/** The first advice of an analysis; `null` if it has none. */
function adviceOf({ challenges }: Failed['technical_meta_data']): TextKey | null {
  const steps = challenges?.flatMap((challenge) => challenge.steps ?? []) ?? []
  const advice = steps.find(({ status }) => status === 'cannot_tell')?.advice ?? ''
  return Object.hasOwn(byAdvice, advice) ? byAdvice[advice]! : null
}

const challengeOpen = 3009

/** Reasons that say more than the code. */
const byFinding: ReadonlyMap<string, TextKey> = new Map<Reason['code'], TextKey>([
  ['grey', 'colourless'],
  ['dark', 'dark'],
  ['bright', 'bright'],
  ['small', 'smallFace'],
  ['soft', 'blurry'],
  ['tight', 'farther'],
  ['face_small_in_clip', 'smallFace'],
  ['too_few_frames', 'tooShort'],
])

type Failed = Pick<Analysis, 'error_code' | 'technical_meta_data'>

/** @param failed the analysis that failed; `null` if none is known */
export function textOfFailure(failed: Failed | null): TextKey {
  const advice = failed?.error_code === challengeOpen ? adviceOf(failed.technical_meta_data) : null
  const gravest = failed?.technical_meta_data.reasons?.[0]?.code
  return advice ?? byFinding.get(gravest ?? '') ?? byCode[failed?.error_code ?? 0] ?? 'incomplete'
}

/** Reasons of the server for refusing a medium. */
const byReason: Readonly<Record<string, TextKey>> = {
  empty: 'fileEmpty',
  format: 'fileFormat',
  archive: 'fileFormat',
  heic: 'fileHeic',
  codec: 'fileCodec',
  damaged: 'fileDamaged',
  too_large: 'fileLarge',
  too_many_pixels: 'fileLarge',
  too_costly: 'fileLarge',
  too_small: 'fileSmall',
  too_long: 'tooLong',
  too_short: 'tooShort',
}

/** The text for a medium that the server refuses; `null` for other errors. */
function textOfMedium(error: unknown): TextKey | null {
  const details = error instanceof ApiError ? error.details : null
  const reason = (details as { reason?: string } | null)?.reason ?? ''
  return Object.hasOwn(byReason, reason) ? byReason[reason]! : null
}

/** The status of analyses that the server does not have. */
const notImplemented = 501

export function textOfError(error: unknown): TextKey {
  if (error instanceof CameraError) return error.trouble
  if (error instanceof NetworkError) return 'offline'
  if (error instanceof TimeoutError) return 'slow'
  if (error instanceof ApiError && error.status === notImplemented) return 'notOffered'
  if (error instanceof BusyError || error instanceof ServerError) return 'busy'
  if (error instanceof AuthenticationError || error instanceof PermissionError) return 'noAccess'
  if (!(error instanceof ApiError)) return 'broken'
  return textOfMedium(error) ?? 'refused'
}

/** The headline of an error that ends a capture: no verdict was reached. */
export const titleOfError = (error: unknown): TextKey =>
  textOfMedium(error) === null ? 'trouble' : 'unusable'

/** Whether the same call may succeed later: no answer came, or the server could not do its work. */
export const mayPassLater = (error: unknown): boolean =>
  error instanceof NetworkError ||
  error instanceof TimeoutError ||
  error instanceof BusyError ||
  (error instanceof ServerError && error.status !== notImplemented)

/** The code of a container whose session token is spent, among other reasons. */
const containerRefused = 14
/** The status of a link that takes no more captures. */
const gone = 410

export const isSpent = (error: unknown): boolean =>
  error instanceof ApiError &&
  (error.status === gone || (error.errorCode === containerRefused && textOfMedium(error) === null))

/** A word for an error, for pages. */
export function codeOfError(error: unknown): string {
  if (error instanceof CameraError) return error.trouble
  if (error instanceof ApiError) return String(error.errorCode ?? error.status)
  if (error instanceof TimeoutError) return 'timeout'
  return error instanceof NetworkError ? 'network' : 'internal'
}

/** The verdict of a folder; `failed` if an analysis could not run. */
export function verdictOf({ system_resolution }: Folder): 'passed' | 'declined' | 'waiting' | 'failed' {
  if (system_resolution === 'SUCCESS') return 'passed'
  if (system_resolution === 'DECLINED') return 'declined'
  return system_resolution === 'FAILED' ? 'failed' : 'waiting'
}
