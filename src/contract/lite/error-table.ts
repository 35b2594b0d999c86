import type { AppError, ErrorCode } from '../../errors.ts'
import type { ErrorAnswer } from '../error-table.ts'

interface LiteError {
  status: number
  code: string
  message: string
}

const contentType: LiteError = {
  status: 400,
  code: 'BPE-002001',
  message: 'invalid Content-Type of the HTTP request',
}
const method: LiteError = { status: 400, code: 'BPE-002002', message: 'invalid HTTP request method' }
const sample: LiteError = { status: 400, code: 'BPE-002003', message: 'failed to read the biometric sample' }
const template: LiteError = {
  status: 400,
  code: 'BPE-002004',
  message: 'failed to read the biometric template',
}
const part: LiteError = {
  status: 400,
  code: 'BPE-002005',
  message: 'invalid Content-Type of a part of the multipart request',
}
const noTemplate: LiteError = {
  status: 400,
  code: 'BPE-003001',
  message: 'failed to retrieve the biometric template',
}
const noFace: LiteError = { status: 400, code: 'BPE-003002', message: 'no face on the biometric sample' }
const severalFaces: LiteError = {
  status: 400,
  code: 'BPE-003003',
  message: 'more than one person on the biometric sample',
}
const internal: LiteError = { status: 500, code: 'BPE-001001', message: 'internal bioprocessor error' }
const engine: LiteError = {
  status: 400,
  code: 'BPE-001002',
  message: 'TFSS error; call the biometry health method',
}
/** The contract has no Lite code for tokens. Lite requires a token only if the operator enables that. */
const token: LiteError = { status: 401, code: 'BPE-002002', message: 'a valid access token is needed' }
const foreign: LiteError = {
  status: 403,
  code: 'BPE-002002',
  message: 'this token may not do that, or not for the company of X-Forensic-Company-Id',
}
const notFound: LiteError = { status: 404, code: 'BPE-002002', message: 'no such method' }

/** How the Lite service reports each error code. */
export const liteErrors: Record<ErrorCode, LiteError> = {
  content_type_invalid: contentType,
  method_not_allowed: method,
  media_missing: sample,
  media_unsupported: sample,
  media_unreadable: sample,
  media_unprocessable: sample,
  body_too_large: sample,
  body_too_slow: sample,
  template_missing: template,
  template_unreadable: template,
  part_type_invalid: part,
  structure_invalid: part,
  value_invalid: part,
  type_invalid: part,
  not_implemented: part,
  no_template: noTemplate,
  no_face: noFace,
  several_faces: severalFaces,
  engine_unavailable: engine,
  overloaded: internal,
  internal,
  not_found: notFound,
  token_missing: token,
  token_unknown: token,
  token_expired: token,
  credentials_wrong: token,
  second_factor_missing: token,
  forbidden: foreign,
  user_blocked: token,
  throttled: internal,
  already_exists: internal,
  password_weak: internal,
  not_allowed: internal,
  decided_meanwhile: internal,
  link_ended: internal,
  range_unsatisfiable: internal,
  external_failed: internal,
  database_failed: internal,
  container_missing: sample,
  container_unreadable: sample,
  container_damaged: sample,
  container_payload: sample,
  container_empty: sample,
}

/** Errors of one of several samples or templates. The contract has no member that names it, so the message does. */
const ofParts: readonly LiteError[] = [sample, template, noTemplate, noFace, severalFaces]

const namePart = ({ details }: AppError): string =>
  details !== null && typeof details === 'object' && details.key_path !== undefined
    ? ` (${details.key_path})`
    : ''

/** The answer of the Lite service to an error: the code of the table, and the error's own message if it is safe to show. */
export function liteErrorAnswer(error: AppError): ErrorAnswer {
  const row = liteErrors[error.code]
  const { status, code } = row
  const safe = status < 500 && error.code !== 'engine_unavailable' && error.message !== ''
  const message = safe ? error.message : row.message
  return { status, code, body: { code, message: message + (ofParts.includes(row) ? namePart(error) : '') } }
}
