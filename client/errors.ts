/** Errors of calls, by what a caller can do about them. */

/** Facts of a refused call. */
export interface Refusal {
  /** HTTP status. */
  status: number
  /** `error_code` of the full service, `code` of Lite (`BPE-…`); `null` if the answer is not the service's. */
  errorCode: number | string | null
  details: unknown
  /** Names the call in the log of the server. */
  requestId: string | null
  /** Seconds after which the server asks to try again. */
  retryAfterS: number | null
}

/** A call that did not succeed. */
export class VivaceError extends Error {
  override readonly name: string = 'VivaceError'
}

/** No answer came: no connection, it broke, or what came is no answer of the service. `cause` has the error of the runtime. */
export class NetworkError extends VivaceError {
  override readonly name = 'NetworkError'
}

/** No result in the given time. */
export class TimeoutError extends VivaceError {
  override readonly name = 'TimeoutError'
}

/** The server refused a call. */
export class ApiError extends VivaceError implements Refusal {
  override readonly name: string = 'ApiError'
  readonly status: number
  readonly errorCode: number | string | null
  readonly details: unknown
  readonly requestId: string | null
  readonly retryAfterS: number | null
  constructor(message: string, { status, errorCode, details, requestId, retryAfterS }: Refusal) {
    super(message)
    this.status = status
    this.errorCode = errorCode
    this.details = details
    this.requestId = requestId
    this.retryAfterS = retryAfterS
  }
}

/** 400 and other refusals of what was sent: the same call fails again. */
export class InvalidRequestError extends ApiError {
  override readonly name = 'InvalidRequestError'
}

/** 401: no token, or one that is unknown or has expired. */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError'
}

/** 403: the role does not allow it, or the user is blocked. */
export class PermissionError extends ApiError {
  override readonly name = 'PermissionError'
}

/** 404: no such object, or one of another company. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError'
}

/** 429 and 503: the server is busy, or this caller calls too often. */
export class BusyError extends ApiError {
  override readonly name = 'BusyError'
}

/** 500 and above. */
export class ServerError extends ApiError {
  override readonly name = 'ServerError'
}

function classOf(status: number): typeof ApiError {
  if (status === 401) return AuthenticationError
  if (status === 403) return PermissionError
  if (status === 404) return NotFoundError
  if (status === 429 || status === 503) return BusyError
  return status >= 500 ? ServerError : InvalidRequestError
}

type Json = { [key: string]: unknown }

function parse(text: string): Json {
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === 'object' ? (value as Json) : {}
  } catch {
    return {}
  }
}

/** Seconds of a `Retry-After` header, which has seconds or a date. */
export function readRetryAfter(header: string | null, nowMs: number): number | null {
  if (header === null || header.trim() === '') return null
  const seconds = Number(header)
  if (Number.isFinite(seconds)) return Math.max(0, seconds)
  const at = Date.parse(header)
  return Number.isNaN(at) ? null : Math.max(0, (at - nowMs) / 1000)
}

/** What an answer says. All refusals of a container have one message; their own is among the details. */
function messageOf({ error_message, message = error_message }: Json, details: unknown): string | null {
  if (typeof message !== 'string') return null
  const { message: own = null } = (details ?? {}) as { message?: unknown }
  return typeof own === 'string' ? `${message}: ${own}` : message
}

/** The error of an answer of 400 and above. */
export function toApiError(status: number, header: (name: string) => string | null, text: string): ApiError {
  const body = parse(text)
  const code = body.error_code ?? body.code
  const details = body.error_details ?? body.details ?? null
  return new (classOf(status))(messageOf(body, details) ?? `the server answered ${status}`, {
    status,
    errorCode: typeof code === 'number' || typeof code === 'string' ? code : null,
    details,
    requestId: header('X-Request-Id'),
    retryAfterS: readRetryAfter(header('Retry-After'), Date.now()),
  })
}
