import { type Context, Hono } from 'hono'
import { companyChangeSchema, newCompanySchema } from '../../contract/full/account-bodies.ts'
import { companyView } from '../../contract/full/account-views.ts'
import { companyFields } from '../../contract/full/list-fields.ts'
import { listPieces } from '../../contract/full/list-view.ts'
import { parseListQuery } from '../../contract/list-query.ts'
import { refuseExcess } from '../../contract/metadata.ts'
import { AppError } from '../../errors.ts'
import type { Action } from '../../identity/permissions.ts'
import type { CompanyRecord } from '../../records/account.ts'
import type { Stateful } from '../../services.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { described } from '../described.ts'
import { readJsonAs } from '../json-body.ts'
import { reply, replyPieces } from '../reply.ts'
import { pathId, reached, requireScope, withinScope } from './access.ts'

const description = (summary: string) =>
  described({ tag: 'Companies', summary, answers: { 200: 'The company', 403: 'The role does not allow it' } })

export const companyRoutes = ({ platform }: Deps, { companies }: Stateful) => {
  const { nowMs, randomId } = platform
  const found = async (c: Context<AppEnv>, action: Action): Promise<CompanyRecord> => {
    const scope = requireScope(c, 'company', action)
    const company = await companies.find(pathId(c, 'company'))
    return reached(c, scope, company, ({ id }) => ({ companyId: id, userId: null }))
  }
  return new Hono<AppEnv>()
    .post('/', description('Create a company'), async (c) => {
      requireScope(c, 'company', 'create')
      const { name, meta_data = {} } = await readJsonAs(c, newCompanySchema)
      const now = nowMs()
      const company: CompanyRecord = {
        id: randomId(),
        name,
        isSystem: false,
        inDeletion: false,
        metadata: refuseExcess(meta_data),
        createdAtMs: now,
        updatedAtMs: now,
      }
      await companies.insert(company)
      return reply(c, companyView(company), 201)
    })
    .get('/', description('List companies'), async (c) => {
      const within = withinScope(c, requireScope(c, 'company', 'read'))
      const query = parseListQuery(new URL(c.req.url).searchParams, companyFields, nowMs())
      const { items, total } = await companies.list(query, within.companyId ?? null)
      return replyPieces(c, listPieces(query, { batches: [items], total }, companyView))
    })
    .get('/:company', description('One company'), async (c) => reply(c, companyView(await found(c, 'read'))))
    .patch('/:company', description('Change a company'), async (c) => {
      const company = await found(c, 'update')
      const { name, meta_data } = await readJsonAs(c, companyChangeSchema)
      const change = {
        ...(name === undefined ? {} : { name }),
        ...(meta_data === undefined ? {} : { metadata: refuseExcess(meta_data) }),
      }
      await companies.update(company.id, change, nowMs())
      return reply(c, companyView({ ...company, ...change }))
    })
    .delete('/:company', description('Remove a company with all it has'), async (c) => {
      const company = await found(c, 'delete')
      if (company.isSystem) throw new AppError('not_lawful', 'The system company stays')
      await companies.beginDeletion(company.id, nowMs())
      return c.body(null, 204)
    })
}
