/** What waits for a person to decide, and who looks at which case. */
import { type Context, Hono } from 'hono'
import type { PersistentServices } from '../../compose/services.ts'
import { queueAnswer, queueEntryAnswer } from '../../contract/answers/folders.ts'
import {
  nextSchema,
  parseWaitingResults,
  queueEntryView,
  queueQuery,
  usualResults,
} from '../../contract/full/queue-view.ts'
import { AppError } from '../../errors.ts'
import type { QueueEntry } from '../../records/queue.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { describeTag, json, jsonBody } from '../describe-endpoint.ts'
import { readJsonAs } from '../json-body.ts'
import { readListQuery, readSearch } from '../list-query.ts'
import { reply } from '../reply.ts'
import { pathId } from '../request-ids.ts'

const description = describeTag('Queue')

export const queueRoutes = ({ platform }: Deps, { queue, users }: PersistentServices) => {
  const views = async ({ authority }: AppEnv['Variables'], entries: readonly QueueEntry[]) => {
    const ids = [...new Set(entries.flatMap(({ viewerId }) => viewerId ?? []))]
    const viewers = await users.findVisible(authority, ids)
    return entries.map((entry) => queueEntryView(entry, viewers.get(entry.viewerId ?? '')?.email ?? null))
  }
  const show = async (c: Context<AppEnv>, entry: QueueEntry) => reply(c, (await views(c.var, [entry]))[0]!)
  return new Hono<AppEnv>()
    .get(
      '/',
      description(
        'Folders whose analyses wait for the decision of a person, the longest waiting first',
        { 200: json('A page of the queue, and how much waits in all', queueAnswer) },
        { list: {}, query: queueQuery },
      ),
      async (c) => {
        const scope = c.var.authority.list('queue')
        const { offset, limit } = readListQuery(c, {}, platform.nowMs(), Object.keys(queueQuery))
        const page = await queue.list(parseWaitingResults(readSearch(c)), scope, { offset, limit })
        return reply(c, {
          offset,
          limit: limit ?? -1,
          total_count: page.total,
          analyses_count: page.analyses,
          time_oldest: page.oldestMs === null ? null : page.oldestMs / 1000,
          items: await views(c.var, page.items),
        })
      },
    )
    .post(
      '/next',
      description(
        'Take the longest waiting folder that nobody else looks at',
        {
          200: json('The folder, which the caller has for five minutes', queueEntryAnswer),
          204: 'Nothing waits',
        },
        { body: jsonBody(nextSchema), example: { resolution: ['OPERATOR_REQUIRED', 'DECLINED'] } },
      ),
      async (c) => {
        const { authority } = c.var
        authority.scope('update', 'queue')
        const { after, resolution } = await readJsonAs(c, nextSchema)
        const entry = await queue.takeNext(authority, resolution ?? usualResults, after ?? null)
        return entry ? show(c, entry) : c.body(null, 204)
      },
    )
    .post(
      '/:folder',
      description('Take one folder, or keep it for longer', {
        200: json(
          'The folder, with the one who looks at it: another operator, if that was earlier',
          queueEntryAnswer,
        ),
      }),
      async (c) => {
        const { authority } = c.var
        const entry = await queue.take(authority, await queue.find(authority, pathId(c, 'folder')))
        if (!entry) throw new AppError('not_found')
        return show(c, entry)
      },
    )
    .delete(
      '/:folder',
      description('Leave a folder that the caller has taken', { 204: 'The caller does not look at it' }),
      async (c) => {
        const { authority } = c.var
        await queue.leave(authority, await queue.find(authority, pathId(c, 'folder')))
        return c.body(null, 204)
      },
    )
}
