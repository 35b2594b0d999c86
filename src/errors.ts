/** Everything the service may refuse or fail with. The contract's tables map each code to the wire. */
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
  | 'forbidden'
  | 'user_blocked'
  | 'not_found'
  | 'body_too_large'
  | 'body_too_slow'
  | 'container_missing'
  | 'container_unreadable'
  | 'content_type_invalid'
  | 'part_type_invalid'
  | 'media_missing'
  | 'media_unsupported'
  | 'media_unreadable'
  | 'template_missing'
  | 'template_unreadable'
  | 'no_face'
  | 'several_faces'
  | 'no_template'
  | 'already_exists'
  | 'password_weak'
  | 'not_allowed'
  | 'range_unsatisfiable'
  | 'throttled'
  | 'overloaded'
  | 'engine_unavailable'
  | 'external_failed'
  | 'database_failed'
  | 'internal'

/**
 * Input that is refused, or a part of the service that cannot answer.
 *
 * The message is for the caller: it says what is wrong and never repeats what was sent. `details` names the place, as a
 * key path or a small object.
 */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly details: string | Record<string, string | number> | null
  /** Whole seconds after which the same call may succeed; `null` where waiting does not help, or nobody knows. */
  readonly retryAfterS: number | null

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      details?: string | Record<string, string | number>
      cause?: unknown
      retryAfterS?: number
    } = {},
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.details = options.details ?? null
    this.retryAfterS = options.retryAfterS ?? null
  }
}

/** Stops on a mistake of our own. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new TypeError(`invariant: ${message}`)
}
