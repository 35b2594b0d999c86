import type { CompanyRecord, SessionRecord, UserRecord } from '../../records/account.ts'
import type { Json } from '../spaced-json.ts'
import { seconds } from './media-view.ts'
import { drawQrCode } from './qr-code.ts'

export const companyView = (company: CompanyRecord): Json => ({
  company_id: company.id,
  name: company.name,
  in_deletion: company.inDeletion,
  sandbox: company.isSandbox,
  reference_field: company.referenceField,
  meta_data: company.metadata as Json,
  technical_meta_data: {},
})

/** The webhook secrets of a company. This format is our own, not part of the contract. */
export const webhookSecretView = (
  companyId: string,
  secret: { secret: string; previous: { untilMs: number } | null; createdAtMs: number },
): Json => ({
  company_id: companyId,
  secret: secret.secret,
  previous_signs_until: secret.previous && seconds(secret.previous.untilMs),
  time_created: seconds(secret.createdAtMs),
})

/** A user in the format of the contract, with the names of API 5 too. */
export function userView(user: UserRecord): Json {
  const { verification, identification, documents, liveness } = user.startFlags
  return {
    user_id: user.id,
    user_type: user.type,
    email: user.email,
    first_name: user.firstName,
    last_name: user.lastName,
    middle_name: user.middleName,
    company_id: user.companyId,
    is_active: user.isActive,
    has_second_factor: user.hasSecondFactor,
    organisation_sign_in: user.isLinked,
    is_admin: user.type === 'CLIENT_ADMIN',
    is_service: user.type === 'CLIENT_SERVICE',
    can_start_analysis_biometry: verification,
    can_start_analysis_collection: identification,
    can_start_analysis_documents: documents,
    can_start_analysis_quality: liveness,
    can_start_analyse_biometry: verification,
    can_start_analyse_collection: identification,
    can_start_analyse_documents: documents,
    can_start_analyse_quality: liveness,
    meta_data: user.metadata as Json,
    technical_meta_data: {},
  }
}

/** A secret for an authenticator app, which is shown once. */
export const secondFactorView = ({ secret, address }: { secret: string; address: string }): Json => ({
  secret,
  url: address,
  qr: drawQrCode(address),
})

/** A new session with its tokens. */
interface ShownSession {
  user: UserRecord
  sessionId: string
  number: number
  accessToken: string
  expireToken: string
  expiresAtMs: number
}

/** The answer to a sign-in: the fields of API 6, and those that older callers need to refresh. */
export const sessionView = (session: ShownSession): Json => ({
  access_token: session.accessToken,
  expire_token: session.expireToken,
  expire_date: seconds(session.expiresAtMs),
  session_id: session.number,
  token_id: session.sessionId,
  user: userView(session.user),
})

/** A session of a list. Each use moves its end. @param currentId the caller's */
export const listedSessionView = (session: SessionRecord, currentId: string | null): Json => {
  const usedAtMs = session.expiresAtMs - session.ttlMs
  return {
    token_id: session.id,
    session_id: session.number,
    user_id: session.userId,
    name: session.name,
    time_created: seconds(session.createdAtMs),
    time_used: usedAtMs > session.createdAtMs ? seconds(usedAtMs) : null,
    expire_date: seconds(session.expiresAtMs),
    is_current: session.id === currentId,
  }
}

export const serviceTokenView = (session: ShownSession): Json => ({
  token_id: session.sessionId,
  user_id: session.user.id,
  access_token: session.accessToken,
  expire_date: seconds(session.expiresAtMs),
  session_id: session.number,
})
