/** Sign-in by the identity provider of an organisation, which says who a user is and which role the user has. */
import { isEmail, normalizeEmail } from '../email-address.ts'
import { AppError, hasCode } from '../errors.ts'
import { MissLimit } from '../identity/miss-limit.ts'
import type { OpenIdProvider, ProviderAnswer } from '../identity/openid-provider.ts'
import { type RandomBytes, unknownPassword } from '../identity/passwords.ts'
import { allStartFlags } from '../identity/permissions.ts'
import { findRole } from '../identity/role-rules.ts'
import type { UserType } from '../identity/roles.ts'
import type { SignInFlows } from '../identity/sign-in-flow.ts'
import type { UserRecord } from '../records/account.ts'
import type { CompanyStore } from '../storage/accounts/company-store.ts'
import type { UserStore } from '../storage/accounts/user-store.ts'
import type { IssuedSession, Sessions } from './sessions.ts'

interface OrganisationSignInDeps {
  provider: OpenIdProvider
  flows: SignInFlows
  users: UserStore
  companies: CompanyStore
  sessions: Sessions
  randomBytes: RandomBytes
  randomId(): string
  nowMs(): number
  monotonicMs(): number
  /** Called when a user was changed. */
  onChanged(): void
  rules: Parameters<typeof findRole>[1]
  rolesClaim: string
  /** Of people with a role that has one. */
  companyId: string
}

type Claims = Awaited<ReturnType<OpenIdProvider['finish']>>

/** The answer of the provider, and what the page has of its own. */
interface FinishedSignIn extends ProviderAnswer {
  flow: string
  /** What the user signs in with; `null` if it does not say. */
  program: string | null
}

/** What a user gets. */
interface Place {
  type: UserType
  companyId: string
}

/** Refused sign-ins per address: a whole organisation may have one. */
const rule = { missesMax: 200, windowMs: 15 * 60_000 }

/** OpenID Connect Core 1.0, section 2. */
const subjectForm = /^[\x20-\x7e]{1,255}$/
const nameLengthMax = 200

function readName(claim: unknown): string | null {
  const name = typeof claim === 'string' ? claim.trim() : ''
  return name === '' || name.length > nameLengthMax ? null : name
}

/**
 * An address that is not verified may be anybody's: an account with it would keep its owner out, and speak in the owner's name.
 * @throws {AppError} `forbidden`
 */
function readEmail({ email, email_verified: verified }: Readonly<Record<string, unknown>>): string {
  const address = typeof email === 'string' ? normalizeEmail(email) : ''
  // Some providers write a text.
  if ((verified !== true && verified !== 'true') || !isEmail(address))
    throw new AppError('forbidden', 'Your organisation does not tell a verified e-mail address of yours')
  return address
}

export class OrganisationSignIn {
  readonly #deps: OrganisationSignInDeps
  readonly #limit: MissLimit

  constructor(deps: OrganisationSignInDeps) {
    this.#deps = deps
    this.#limit = new MissLimit(rule, deps.monotonicMs)
  }

  /**
   * @param redirect the address of the page to which the provider sends the user back
   * @returns the address at which the provider asks the user, and what the page sends with the answer
   * @throws {AppError} `external_failed`
   */
  async begin(redirect: string): Promise<{ address: string; flow: string }> {
    const { provider, flows, nowMs } = this.#deps
    const { address, flow } = await provider.begin(redirect)
    return { address, flow: await flows.seal(flow, nowMs()) }
  }

  /**
   * Signs a user in. The provider is responsible for a second factor: ours is not asked for.
   * @throws {AppError} `credentials_wrong` for an answer that is no longer valid, `forbidden` without a role or, the first time, without a
   *   verified e-mail, `already_exists` if the e-mail belongs to a user who is not linked to this one, `user_blocked`, `external_failed`,
   *   `throttled`
   */
  async finish({ flow, program, ...answer }: FinishedSignIn, address: string): Promise<IssuedSession> {
    const waitS = this.#limit.begin(address)
    if (waitS > 0) throw new AppError('throttled', undefined, { retryAfterS: waitS })
    let isRefused = false
    try {
      const user = await this.#admit(await this.#identify(flow, answer))
      return await this.#deps.sessions.begin(user, program)
    } catch (error) {
      // An e-mail that is taken reveals a user.
      isRefused = hasCode(error, 'credentials_wrong', 'already_exists')
      throw error
    } finally {
      if (isRefused) this.#limit.fail(address)
      else this.#limit.giveBack(address)
    }
  }

  async #identify(sealed: string, answer: ProviderAnswer): Promise<Claims> {
    const { provider, flows, nowMs } = this.#deps
    const flow = await flows.open(sealed, nowMs())
    if (!flow)
      throw new AppError('credentials_wrong', 'This sign-in has expired: start again', {
        details: { key_path: 'flow' },
        place: 'flow',
      })
    const claims = await provider.finish(flow, answer)
    if (!subjectForm.test(claims.sub))
      throw new AppError('external_failed', 'identity provider: the subject is not 1 to 255 ASCII characters')
    return claims
  }

  async #admit(claims: Claims): Promise<UserRecord> {
    const { users, rules, rolesClaim, nowMs, onChanged } = this.#deps
    const role = findRole(claims[rolesClaim], rules)
    if (!role) throw new AppError('forbidden', 'Your organisation has given you no role here')
    const place = { type: role.role, companyId: await this.#companyFor(role.hasCompany) }
    const openId = `${claims.iss} ${claims.sub}`
    const user = (await users.findLinked(openId)) ?? (await this.#enrol(claims, openId, place))
    if (!user.isActive) throw new AppError('user_blocked')
    if (user.type === place.type && user.companyId === place.companyId) return user
    const changed = { ...user, ...place, updatedAtMs: nowMs() }
    await users.update(changed, user)
    onChanged()
    return changed
  }

  async #companyFor(hasCompany: boolean): Promise<string> {
    const { companies, companyId } = this.#deps
    const company = hasCompany ? await companies.find(companyId) : await companies.system()
    if (!company || company.inDeletion || company.isSystem === hasCompany)
      throw new AppError('forbidden', 'The company of your organisation (SVC_OIDC_COMPANY) does not exist')
    return company.id
  }

  /** The account of a user who has not signed in by the provider before. */
  async #enrol(claims: Claims, openId: string, place: Place): Promise<UserRecord> {
    const { users } = this.#deps
    const email = readEmail(claims)
    try {
      const known = (await users.credentials({ email }))?.user
      return await (known
        ? this.#takeOver(known, claims.iss, openId, place)
        : this.#create(email, claims, openId, place))
    } catch (error) {
      if (!hasCode(error, 'already_exists')) throw error
      // The same person may have signed in twice at once.
      const user = await users.findLinked(openId)
      if (user) return user
      throw new AppError('already_exists', 'Another account has your e-mail address: ask an administrator')
    }
  }

  /**
   * Nobody comes to an account of another company or of a machine in this way, nor to one of an administrator without being one.
   * @throws {AppError} `already_exists` if it is not the user's
   */
  async #takeOver(user: UserRecord, issuer: string, openId: string, place: Place): Promise<UserRecord> {
    const { users, randomBytes, onChanged } = this.#deps
    const isOwn =
      user.companyId === place.companyId &&
      user.type !== 'CLIENT_SERVICE' &&
      (user.type !== 'ADMIN' || place.type === 'ADMIN')
    if (isOwn && !user.isActive) throw new AppError('user_blocked')
    if (!isOwn || !(await users.link(user.id, issuer, openId, unknownPassword(randomBytes))))
      throw new AppError('already_exists')
    onChanged()
    return { ...user, isLinked: true }
  }

  async #create(email: string, claims: Claims, openId: string, place: Place): Promise<UserRecord> {
    const { users, randomBytes, randomId, nowMs } = this.#deps
    const now = nowMs()
    const user: UserRecord = {
      ...place,
      id: randomId(),
      email,
      firstName: readName(claims.given_name),
      lastName: readName(claims.family_name),
      middleName: readName(claims.middle_name),
      startFlags: allStartFlags,
      isActive: true,
      hasSecondFactor: false,
      isLinked: true,
      metadata: {},
      createdAtMs: now,
      updatedAtMs: now,
    }
    await users.insert(user, unknownPassword(randomBytes), openId)
    return user
  }
}
