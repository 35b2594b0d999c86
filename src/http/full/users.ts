import { Hono } from 'hono'
import type { WantedUser } from '../../accounts/user-changes.ts'
import type { PersistentServices } from '../../compose/services.ts'
import { userAnswer } from '../../contract/answers/accounts.ts'
import { listOf } from '../../contract/answers/parts.ts'
import {
  givenProfile,
  newUserSchema,
  passwordChangeSchema,
  type UserProfile,
  userChangeSchema,
} from '../../contract/full/account-bodies.ts'
import { userView } from '../../contract/full/account-views.ts'
import { userFields } from '../../contract/full/list-fields.ts'
import { listPieces } from '../../contract/full/list-view.ts'
import { refuseExcess } from '../../contract/metadata.ts'
import { missingMember } from '../../errors.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { identifyCaller } from '../client-address.ts'
import { describeTag, json, jsonBody } from '../describe-endpoint.ts'
import { readJsonAs } from '../json-body.ts'
import { readListQuery } from '../list-query.ts'
import { reply, replyPieces } from '../reply.ts'
import { pathId } from '../request-ids.ts'

const description = describeTag('Users')

const newUserExample = {
  credentials: { email: 'ada@example.com', password: 'a password that is long enough' },
  profile: { user_type: 'CLIENT', first_name: 'Ada' },
}

/** Drops undefined fields: an absent field changes nothing. */
function omitUndefined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
}

const readUserChange = (profile: UserProfile): WantedUser => ({
  role: { user_type: profile.user_type, is_admin: profile.is_admin, is_service: profile.is_service },
  names: omitUndefined({
    firstName: profile.first_name,
    lastName: profile.last_name,
    middleName: profile.middle_name,
  }),
  startFlags: omitUndefined({
    verification: profile.can_start_analysis_biometry ?? profile.can_start_analyse_biometry,
    identification: profile.can_start_analysis_collection ?? profile.can_start_analyse_collection,
    documents: profile.can_start_analysis_documents ?? profile.can_start_analyse_documents,
    liveness: profile.can_start_analysis_quality ?? profile.can_start_analyse_quality,
  }),
  ...omitUndefined({
    companyId: profile.company_id,
    isActive: profile.is_active,
    metadata: profile.meta_data && refuseExcess(profile.meta_data),
  }),
})

export const userRoutes = (deps: Deps, { users }: PersistentServices) => {
  const { platform } = deps
  return new Hono<AppEnv>()
    .post(
      '/',
      description(
        'Create a user',
        { 201: json('The user', userAnswer) },
        { body: jsonBody(newUserSchema), example: newUserExample },
      ),
      async (c) => {
        const { authority } = c.var
        authority.scope('create', 'user')
        const { credentials, profile, user_type, meta_data } = await readJsonAs(c, newUserSchema)
        const { email, password } = credentials
        const wanted = readUserChange(
          givenProfile({
            ...profile,
            user_type: profile.user_type ?? user_type,
            // Clients send them in either place.
            meta_data: profile.meta_data || meta_data ? { ...meta_data, ...profile.meta_data } : undefined,
          }),
        )
        const user = await users.create(authority, { email, password, wanted }, identifyCaller(c, deps))
        return reply(c, userView(user), 201)
      },
    )
    .get(
      '/',
      description('List users', { 200: json('A page of users', listOf(userAnswer)) }, { list: userFields }),
      async (c) => {
        const scope = c.var.authority.list('user')
        const query = readListQuery(c, userFields, platform.nowMs())
        return replyPieces(c, listPieces(query, await users.list(query, scope), userView))
      },
    )
    .get('/me', description('The caller', { 200: json('The user', userAnswer) }), async (c) =>
      reply(c, userView(await users.self(c.var.authority))),
    )
    .get('/:user', description('One user', { 200: json('The user', userAnswer) }), async (c) =>
      reply(c, userView(await users.find(c.var.authority, 'read', pathId(c, 'user')))),
    )
    .patch(
      '/:user',
      description(
        'Change a user',
        { 200: json('The user', userAnswer) },
        { body: jsonBody(userChangeSchema), example: { first_name: 'Ada' } },
      ),
      async (c) => {
        const id = pathId(c, 'user')
        const body = await readJsonAs(c, userChangeSchema)
        const { profile, credentials, email: topEmail, password: topPassword, ...top } = body
        const password = topPassword ?? credentials.password ?? null
        const email = topEmail ?? credentials.email
        const fields = { ...givenProfile(profile), ...givenProfile(top) }
        const isOnlyPassword = password !== null && !email && Object.keys(fields).length === 0
        const wanted = isOnlyPassword ? null : { ...readUserChange(fields), ...(email ? { email } : {}) }
        const changed = await users.change(c.var.authority, id, wanted, password, identifyCaller(c, deps))
        return reply(c, userView(changed))
      },
    )
    .delete('/:user', description('Remove a user', { 204: 'The user is removed' }), async (c) => {
      const { authority } = c.var
      await users.remove(authority, await users.find(authority, 'delete', pathId(c, 'user')))
      return c.body(null, 204)
    })
    .post(
      '/:user/change-password',
      description(
        'Change a password',
        { 200: json('The user', userAnswer) },
        {
          body: jsonBody(passwordChangeSchema),
          example: { old_password: 'the one until now', new_password: 'a better one for later' },
        },
      ),
      async (c) => {
        const readChange = async () => {
          const { old_password, new_password, password } = await readJsonAs(c, passwordChangeSchema)
          const wanted = new_password ?? password
          if (wanted == null) throw missingMember('new_password')
          return { password: wanted, old: old_password ?? null }
        }
        const id = pathId(c, 'user')
        const user = await users.changePassword(c.var.authority, id, readChange, identifyCaller(c, deps))
        return reply(c, userView(user))
      },
    )
}
