/** All error codes of the service. The tables in `contract/` map each code to the wire. */
export type ErrorCode =
  | 'method_not_allowed'
  | 'not_implemented'
  | 'structure_invalid'
  | 'value_invalid'
  | 'type_invalid'
  | 'token_missing'
  | 'token_unknown'
  | 'token_expired'
  | 'credentials_wrong'
  | 'second_factor_missing'
  | 'forbidden'
  | 'user_blocked'
  | 'not_found'
  | 'body_too_large'
  | 'body_too_slow'
  | 'container_missing'
  | 'container_unreadable'
  | 'container_damaged'
  | 'container_payload'
  | 'container_empty'
  | 'content_type_invalid'
  | 'part_type_invalid'
  | 'media_missing'
  | 'media_unsupported'
  | 'media_unreadable'
  | 'media_unprocessable'
  | 'template_missing'
  | 'template_unreadable'
  | 'no_face'
  | 'several_faces'
  | 'no_template'
  | 'already_exists'
  | 'password_weak'
  | 'not_allowed'
  | 'decided_meanwhile'
  | 'link_ended'
  | 'range_unsatisfiable'
  | 'throttled'
  | 'overloaded'
  | 'engine_unavailable'
  | 'external_failed'
  | 'database_failed'
  | 'internal'

/** What a refusal says besides its text: `key_path`, `expected`, limits and counts. Always an object, so that clients can read its members. */
export type ErrorDetails = Readonly<Record<string, string | number>>

/** Why a medium is refused, for programs: pages tell people in their own words. */
export const mediaReasons = [
  'empty',
  'format',
  'heic',
  'codec',
  'damaged',
  'too_large',
  'too_many_pixels',
  'too_small',
  'too_long',
  'too_short',
  'too_costly',
  'archive',
] as const
export type MediaReason = (typeof mediaReasons)[number]

/**
 * Refused input, or a failure of the service.
 *
 * The message is for the caller: it says what is wrong and never repeats the input. Without a message the answer has the
 * text of the contract's table for the code. `details` names the place and what is allowed.
 */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetails | null
  /** The refused member or parameter, for the log: only names of the contract. */
  readonly place: string | null
  /** Whole seconds after which the same call may succeed; `null` if waiting does not help or the time is unknown. */
  readonly retryAfterS: number | null

  constructor(
    code: ErrorCode,
    message = '',
    options: {
      details?: ErrorDetails
      /** For a medium; a member of `details`. */
      reason?: MediaReason
      cause?: unknown
      retryAfterS?: number
      place?: string
    } = {},
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    const { details = null, reason } = options
    this.details = reason ? { ...details, reason } : details
    this.place = options.place ?? null
    this.retryAfterS = options.retryAfterS ?? null
  }
}

/**
 * A member that a request must have, in the words of the contract.
 * @param expected what it may be; `null` if that is not said
 */
export const missingMember = (keyPath: string, place = keyPath, expected: string | null = null): AppError =>
  new AppError(
    'structure_invalid',
    `Could not locate field for key_path ${keyPath} from provided dict data`,
    {
      details: { key_path: keyPath, ...(expected === null ? {} : { expected }) },
      place,
    },
  )

/** Whether it is an AppError with one of these codes. */
export const hasCode = (error: unknown, ...codes: readonly ErrorCode[]): boolean =>
  error instanceof AppError && codes.includes(error.code)

/** @throws {TypeError} if the condition is false, which is a bug of our own */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new TypeError(`invariant: ${message}`)
}

/** What is behind an error, if it says so. */
export const causeOf = (error: unknown): unknown =>
  error instanceof AppError && error.cause !== undefined ? error.cause : error

/** The reason of a failure for the log, without values and addresses. */
export function describeCause(error: unknown): string {
  const cause = causeOf(error)
  return cause instanceof Error ? cause.message : String(cause)
}
