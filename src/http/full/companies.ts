import { type Context, Hono } from 'hono'
import type * as v from 'valibot'
import type { PersistentServices } from '../../compose/services.ts'
import { companyAnswer } from '../../contract/answers/accounts.ts'
import { listOf } from '../../contract/answers/parts.ts'
import { companyChangeSchema, newCompanySchema } from '../../contract/full/account-bodies.ts'
import { companyView } from '../../contract/full/account-views.ts'
import { companyFields } from '../../contract/full/list-fields.ts'
import { listPieces } from '../../contract/full/list-view.ts'
import { refuseExcess } from '../../contract/metadata.ts'
import { AppError } from '../../errors.ts'
import type { Action } from '../../identity/permissions.ts'
import type { CompanyChange } from '../../records/account.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { describeTag, json, jsonBody } from '../describe-endpoint.ts'
import { readJsonAs } from '../json-body.ts'
import { readListQuery } from '../list-query.ts'
import { reply, replyPieces } from '../reply.ts'
import { pathId } from '../request-ids.ts'

const description = describeTag('Companies')

/** What a request says of a company beside its name. */
const readSettings = ({
  meta_data,
  reference_field,
}: Pick<v.InferOutput<typeof companyChangeSchema>, 'meta_data' | 'reference_field'>): Omit<
  CompanyChange,
  'name'
> => ({
  ...(meta_data == null ? {} : { metadata: refuseExcess(meta_data) }),
  ...(reference_field == null ? {} : { referenceField: reference_field || null }),
})

export const companyRoutes = ({ platform }: Deps, { companies }: PersistentServices) => {
  const find = <U extends Action>(c: Context<AppEnv>, use: U) =>
    companies.find(c.var.authority, use, 'company', pathId(c, 'company'))
  return new Hono<AppEnv>()
    .post(
      '/',
      description(
        'Create a company',
        { 201: json('The company', companyAnswer) },
        { body: jsonBody(newCompanySchema), example: { name: 'Example' } },
      ),
      async (c) => {
        const { authority } = c.var
        authority.scope('create', 'company')
        const { name, sandbox, ...given } = await readJsonAs(c, newCompanySchema)
        const standard = { isSandbox: sandbox ?? false, metadata: {}, referenceField: null }
        const company = await companies.create(authority, { name, ...standard, ...readSettings(given) })
        return reply(c, companyView(company), 201)
      },
    )
    .get(
      '/',
      description(
        'List companies',
        { 200: json('A page of companies', listOf(companyAnswer)) },
        { list: companyFields },
      ),
      async (c) => {
        const scope = c.var.authority.list('company')
        const query = readListQuery(c, companyFields, platform.nowMs())
        const { items, total } = await companies.list(query, scope)
        return replyPieces(c, listPieces(query, { batches: [items], total }, companyView))
      },
    )
    .get('/:company', description('One company', { 200: json('The company', companyAnswer) }), async (c) =>
      reply(c, companyView(await find(c, 'read'))),
    )
    .patch(
      '/:company',
      description(
        'Change a company',
        { 200: json('The company', companyAnswer) },
        { body: jsonBody(companyChangeSchema), example: { name: 'Example' } },
      ),
      async (c) => {
        const company = await find(c, 'update')
        const { name, sandbox, ...given } = await readJsonAs(c, companyChangeSchema)
        if (sandbox != null && sandbox !== company.isSandbox)
          throw new AppError('value_invalid', 'A company stays a sandbox, or none, as it was created', {
            details: { key_path: 'sandbox', expected: String(company.isSandbox) },
            place: 'sandbox',
          })
        const changed = await companies.change(company, {
          ...(name == null ? {} : { name }),
          ...readSettings(given),
        })
        return reply(c, companyView(changed))
      },
    )
    .delete(
      '/:company',
      description('Remove a company with all it has', { 204: 'It is being removed' }),
      async (c) => {
        await companies.remove(await find(c, 'delete'))
        return c.body(null, 204)
      },
    )
}
