import { type Context, Hono } from 'hono'
import { changedUser, newUser, type WantedUser } from '../../accounts/user-changes.ts'
import {
  newUserSchema,
  passwordChangeSchema,
  type UserProfile,
  userChangeSchema,
} from '../../contract/full/account-bodies.ts'
import { userView } from '../../contract/full/account-views.ts'
import { userFields } from '../../contract/full/list-fields.ts'
import { listPieces } from '../../contract/full/list-view.ts'
import { parseListQuery } from '../../contract/list-query.ts'
import { refuseExcess } from '../../contract/metadata.ts'
import { AppError } from '../../errors.ts'
import { MissLimit } from '../../identity/miss-limit.ts'
import { checkPassword } from '../../identity/password-rules.ts'
import { hashPassword, verifyPassword } from '../../identity/passwords.ts'
import type { Action, Scope } from '../../identity/permissions.ts'
import type { UserRecord } from '../../records/account.ts'
import { randomBytes, type Stateful } from '../../services.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { callerOf } from '../client-address.ts'
import { described } from '../described.ts'
import { readJsonAs } from '../json-body.ts'
import { refuseFor } from '../middleware/require-token.ts'
import { reply, replyPieces } from '../reply.ts'
import { pathId, reached, requireScope, withinScope } from './access.ts'

const description = (summary: string) =>
  described({ tag: 'Users', summary, answers: { 200: 'The user', 403: 'The role does not allow it' } })

/** Only what is there: an absent field changes nothing. */
function present<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
}

const wantedUser = (profile: UserProfile): WantedUser => ({
  role: { user_type: profile.user_type, is_admin: profile.is_admin, is_service: profile.is_service },
  names: present({
    firstName: profile.first_name,
    lastName: profile.last_name,
    middleName: profile.middle_name,
  }),
  startFlags: present({
    verification: profile.can_start_analysis_biometry ?? profile.can_start_analyse_biometry,
    identification: profile.can_start_analysis_collection ?? profile.can_start_analyse_collection,
    documents: profile.can_start_analysis_documents ?? profile.can_start_analyse_documents,
    liveness: profile.can_start_analysis_quality ?? profile.can_start_analyse_quality,
  }),
  ...present({
    companyId: profile.company_id,
    isActive: profile.is_active,
    metadata: profile.meta_data && refuseExcess(profile.meta_data),
  }),
})

/** Addresses of other companies that a company may come across within an hour, by chance or by trying. */
const foreignAddressesRule = { missesMax: 20, windowMs: 3600_000 }

const ownerOf = ({ id, companyId }: UserRecord) => ({ companyId, userId: id })

export const userRoutes = (deps: Deps, { users, companies, scryptFor }: Stateful) => {
  const { platform, settings } = deps
  const { nowMs, randomId } = platform
  const rules = { lengthMin: settings.passwordLengthMin, kindsMin: settings.passwordKindsMin }
  const scryptOf = (c: Context<AppEnv>) => scryptFor(callerOf(c, deps))
  const hash = (c: Context<AppEnv>, password: string): Promise<string> => {
    checkPassword(password, rules)
    return hashPassword(password, scryptOf(c), randomBytes)
  }

  const foreignAddresses = new MissLimit(foreignAddressesRule, platform.monotonicMs)

  /** That an address is taken tells a CLIENT_ADMIN of a user of another company, so that it may not ask without end. */
  const insert = async (c: Context<AppEnv>, user: UserRecord, passwordHash: string): Promise<void> => {
    const { userType, companyId } = c.var.principal
    if (userType === 'ADMIN' || companyId === null) return users.insert(user, passwordHash)
    const waitS = foreignAddresses.begin(companyId)
    if (waitS > 0) refuseFor(c, waitS)
    let isForeign = false
    try {
      await users.insert(user, passwordHash)
    } catch (error) {
      if (error instanceof AppError && error.code === 'already_exists')
        isForeign = (await users.credentials({ email: user.email }))?.user.companyId !== companyId
      throw error
    } finally {
      if (!isForeign) foreignAddresses.giveBack(companyId)
    }
  }

  const found = async (c: Context<AppEnv>, action: Action): Promise<{ user: UserRecord; scope: Scope }> => {
    const scope = requireScope(c, 'user', action)
    return { user: reached(c, scope, await users.find(pathId(c, 'user')), ownerOf), scope }
  }

  /** A user changes its own password with the old one; who may change the user needs none. */
  const changePassword = async (
    c: Context<AppEnv>,
    user: UserRecord,
    password: string,
    oldPassword: string | null,
  ): Promise<void> => {
    const { principal } = c.var
    const isSelf = user.id === principal.userId
    if (isSelf && oldPassword !== null) {
      const known = await users.credentials({ id: user.id })
      const isRight = await verifyPassword(oldPassword, known?.passwordHash ?? null, scryptOf(c))
      if (!isRight) throw new AppError('value_invalid', 'The old password is wrong')
    }
    await users.setPassword(user.id, await hash(c, password), isSelf ? principal.sessionId : null)
  }

  return new Hono<AppEnv>()
    .post('/', description('Create a user'), async (c) => {
      requireScope(c, 'user', 'create')
      const { credentials, profile, user_type } = await readJsonAs(c, newUserSchema)
      const wanted = wantedUser({ ...profile, user_type: profile.user_type ?? user_type })
      const base = { id: randomId(), email: credentials.email, nowMs: nowMs() }
      const user = await newUser(c.var.principal, wanted, base, companies)
      await insert(c, user, await hash(c, credentials.password))
      return reply(c, userView(user), 201)
    })
    .get('/', description('List users'), async (c) => {
      const scope = requireScope(c, 'user', 'read')
      const within = withinScope(c, scope)
      const query = parseListQuery(new URL(c.req.url).searchParams, userFields, nowMs())
      return replyPieces(c, listPieces(query, await users.list(query, within), userView))
    })
    .get('/me', description('The caller'), async (c) => {
      const user = await users.find(c.var.principal.userId)
      if (!user) throw new AppError('not_found', '')
      return reply(c, userView(user))
    })
    .get('/:user', description('One user'), async (c) => reply(c, userView((await found(c, 'read')).user)))
    .patch('/:user', description('Change a user'), async (c) => {
      const isSelf = pathId(c, 'user') === c.var.principal.userId
      const { password, profile, ...top } = await readJsonAs(c, userChangeSchema)
      const isOnlyPassword =
        password !== undefined && Object.keys({ ...present(top), ...profile }).length === 0
      const { user, scope } = await found(c, isSelf && isOnlyPassword ? 'read' : 'update')
      const wanted = wantedUser({ ...profile, ...present(top) })
      const changed = isOnlyPassword
        ? user
        : await changedUser(c.var.principal, user, wanted, scope === 'self', nowMs(), companies)
      if (password !== undefined) await changePassword(c, user, password, null)
      if (!isOnlyPassword) await users.update(changed)
      return reply(c, userView(changed))
    })
    .delete('/:user', description('Remove a user'), async (c) => {
      const { user } = await found(c, 'delete')
      if (user.id === c.var.principal.userId)
        throw new AppError('not_lawful', 'Nobody takes away their own access')
      await users.delete(user.id)
      return c.body(null, 204)
    })
    .post('/:user/change-password', description('Change a password'), async (c) => {
      const isSelf = pathId(c, 'user') === c.var.principal.userId
      const { user } = await found(c, isSelf ? 'read' : 'update')
      const { old_password, new_password, password } = await readJsonAs(c, passwordChangeSchema)
      const wanted = new_password ?? password
      const missing =
        wanted === undefined ? 'new_password' : isSelf && old_password === undefined ? 'old_password' : null
      if (missing !== null) {
        throw new AppError(
          'structure_invalid',
          `Could not locate field for key_path ${missing} from provided dict data`,
          { details: { key_path: missing } },
        )
      }
      await changePassword(c, user, wanted!, old_password ?? null)
      return reply(c, userView(user))
    })
}
