import { AppError, type ErrorCode, type ErrorDetails, type MediaReason } from '../errors.ts'
import type { Json } from './spaced-json.ts'

interface WireError {
  status: number
  /** `error_code` of the full service. */
  code: number
  /** The default message. It is always used for server errors, whose own message must not leave the server. */
  message: string
}

const invalidContainer = 'Invalid request data'

/** How the full service reports each error code. */
export const wireErrors: Record<ErrorCode, WireError> = {
  internal: { status: 500, code: 0, message: 'Unknown server side error occurred' },
  method_not_allowed: { status: 405, code: 1, message: 'HTTP method is not allowed' },
  not_implemented: {
    status: 501,
    code: 2,
    message: 'Required method or service declared but not realized or temporary disabled on server',
  },
  structure_invalid: { status: 400, code: 3, message: 'Could not parse body as JSON object' },
  content_type_invalid: { status: 400, code: 3, message: 'Could not parse body' },
  part_type_invalid: { status: 400, code: 3, message: 'Could not parse body' },
  value_invalid: { status: 400, code: 4, message: 'Invalid param value' },
  media_missing: { status: 400, code: 4, message: "Can't start analysis without media" },
  media_unreadable: { status: 400, code: 4, message: 'The medium cannot be read' },
  media_unprocessable: { status: 400, code: 4, message: 'The medium cannot be processed' },
  template_missing: { status: 400, code: 4, message: 'The template is missing' },
  template_unreadable: { status: 400, code: 4, message: 'The template cannot be read' },
  no_face: { status: 400, code: 4, message: 'No face' },
  several_faces: { status: 400, code: 4, message: 'Several faces' },
  no_template: { status: 400, code: 4, message: 'No template' },
  type_invalid: { status: 400, code: 5, message: 'Invalid data type' },
  media_unsupported: { status: 400, code: 5, message: 'The kind of the medium is not supported' },
  token_missing: {
    status: 401,
    code: 6,
    message: 'User auth token is not provided. You must be logged for this request.',
  },
  token_unknown: {
    status: 401,
    code: 7,
    message: 'User auth token is not valid. You must be logged for this request.',
  },
  token_expired: {
    status: 401,
    code: 8,
    message: 'Provided user auth token has expired. Please renew it.',
  },
  credentials_wrong: { status: 401, code: 7, message: 'Invalid email or password' },
  second_factor_missing: { status: 401, code: 7, message: 'Enter the code of your authenticator app' },
  forbidden: { status: 403, code: 9, message: 'You have not access to this resource' },
  user_blocked: { status: 403, code: 211, message: 'User profile is blocked' },
  not_found: { status: 404, code: 10, message: 'Object not exist' },
  overloaded: { status: 503, code: 11, message: 'The server is busy. Try again later.' },
  engine_unavailable: { status: 502, code: 11, message: 'Failed to communicate with external system' },
  external_failed: { status: 502, code: 11, message: 'Failed to communicate with external system' },
  database_failed: { status: 500, code: 12, message: 'Database error occurred' },
  already_exists: { status: 400, code: 13, message: 'Object already exist' },
  range_unsatisfiable: { status: 416, code: 16, message: 'Requested Range Not Satisfiable' },
  throttled: { status: 429, code: 101, message: 'Too many requests' },
  password_weak: { status: 400, code: 202, message: 'The password is too weak' },
  not_allowed: {
    status: 400,
    code: 221,
    message: 'Requested action/resource is illegal for business logic',
  },
  decided_meanwhile: { status: 409, code: 221, message: 'Another decision was made meanwhile' },
  link_ended: { status: 410, code: 221, message: 'The link takes no more captures' },
  container_payload: { status: 400, code: 3, message: invalidContainer },
  container_empty: { status: 400, code: 4, message: invalidContainer },
  container_damaged: { status: 400, code: 5, message: invalidContainer },
  container_missing: { status: 400, code: 13, message: invalidContainer },
  container_unreadable: { status: 400, code: 14, message: invalidContainer },
  body_too_large: { status: 400, code: 14, message: 'Request data too big' },
  body_too_slow: { status: 408, code: 3, message: 'The body came too slowly' },
}

/** Why a medium is refused, unless its error says more. */
const usualReasons: Partial<Record<ErrorCode, MediaReason>> = {
  media_unsupported: 'format',
  media_unreadable: 'damaged',
  media_unprocessable: 'too_costly',
  body_too_large: 'too_large',
}

function detailsOf({ code, details }: AppError): ErrorDetails | null {
  const reason = usualReasons[code]
  return reason === undefined ? details : { reason, ...details }
}

/** Wraps anything thrown into an `AppError`. */
export const asAppError = (error: unknown): AppError =>
  error instanceof AppError ? error : new AppError('internal', 'unexpected error', { cause: error })

/** Seconds until a caller refused by an overloaded server should retry. */
export const retryAfterSeconds = 2

export interface ErrorAnswer {
  status: number
  /** As in the body, for the log. */
  code: number | string
  body: Json
}

/** Refusals of what a container holds: of the container itself, and of any of its content. */
const isOfContent = ({ code }: AppError, isContainer: boolean): boolean =>
  code.startsWith('container_') || (isContainer && wireErrors[code].status === 400 && code !== 'not_allowed')

/** The message of an answer, and its details. All refusals of a container have one message, so their own is among the details. */
function textOf(error: AppError, isContainer: boolean): [message: string, details: ErrorDetails | null] {
  const { status, message } = wireErrors[error.code]
  if (status >= 500) return [message, null]
  const own = error.message === '' ? message : error.message
  const details = detailsOf(error)
  if (!isOfContent(error, isContainer)) return [own, details]
  return [invalidContainer, own === invalidContainer ? details : { ...details, message: own }]
}

/**
 * The answer of the full service to an error. For server errors it has only the message of the table.
 * @param isContainer whether the body of the request is a container
 */
export function errorAnswer(error: AppError, isContainer = false): ErrorAnswer {
  const { status, code } = wireErrors[error.code]
  const [message, details] = textOf(error, isContainer)
  return {
    status,
    code,
    body: { error_code: code, error_message: message, error_details: details, details },
  }
}
