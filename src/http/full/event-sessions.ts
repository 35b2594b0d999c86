/** Event sessions: what capturing apps report about their steps and errors. */
import { Hono } from 'hono'
import type { PersistentServices } from '../../compose/services.ts'
import { eventRecordFields, eventSessionFields } from '../../contract/full/list-fields.ts'
import { listPieces } from '../../contract/full/list-view.ts'
import { parseReport } from '../../contract/full/telemetry-bodies.ts'
import { eventRecordView, eventSessionView } from '../../contract/full/telemetry-views.ts'
import { parseListQuery } from '../../contract/list-query.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { describeEndpoint } from '../describe-endpoint.ts'
import { readJson } from '../json-body.ts'
import { throttle } from '../middleware/require-token.ts'
import { reply, replyPieces } from '../reply.ts'
import { pathId } from '../request-ids.ts'

/** Bytes of one report. */
const reportBytesMax = 256 * 1024

const description = (summary: string) =>
  describeEndpoint({
    tag: 'Telemetry',
    summary,
    answers: {
      200: 'The event session or its events',
      403: 'The role does not allow it',
      404: 'There is no such event session',
      429: 'Too many reports; try again after the time in Retry-After',
    },
  })

export const eventSessionRoutes = (deps: Deps, { eventSessions }: PersistentServices) => {
  const { nowMs } = deps.platform
  return new Hono<AppEnv>()
    .post('/', description('Report events, in a new session or a known one'), async (c) => {
      const { authority } = c.var
      authority.scope('create', 'event_session')
      throttle(deps, 'telemetry', authority.principal.userId)
      const { companyId, ...report } = parseReport(await readJson(c, reportBytesMax))
      const company = authority.companyFor('event_session', companyId)
      return reply(c, eventSessionView(await eventSessions.add(authority, company, report)), 201)
    })
    .get('/', description('List event sessions'), async (c) => {
      const scope = c.var.authority.list('event_session')
      const query = parseListQuery(new URL(c.req.url).searchParams, eventSessionFields, nowMs())
      return replyPieces(c, listPieces(query, await eventSessions.list(query, scope), eventSessionView))
    })
    .get('/:session', description('One event session'), async (c) =>
      reply(c, eventSessionView(await eventSessions.find(c.var.authority, pathId(c, 'session')))),
    )
    .get('/:session/records', description('The events of a session'), async (c) => {
      const session = await eventSessions.find(c.var.authority, pathId(c, 'session'))
      const query = parseListQuery(new URL(c.req.url).searchParams, eventRecordFields, nowMs())
      return replyPieces(
        c,
        listPieces(query, await eventSessions.listEvents(session, query), eventRecordView),
      )
    })
}
