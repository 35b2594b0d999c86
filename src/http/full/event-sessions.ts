/** Event sessions: what capturing apps report about their steps and errors. */

import { Hono } from 'hono'
import type { PersistentServices } from '../../compose/services.ts'
import { eventRecordAnswer, eventSessionAnswer } from '../../contract/answers/others.ts'
import { listOf } from '../../contract/answers/parts.ts'
import { eventRecordFields, eventSessionFields } from '../../contract/full/list-fields.ts'
import { listPieces } from '../../contract/full/list-view.ts'
import { parseReport, reportSchema } from '../../contract/full/telemetry-bodies.ts'
import { eventRecordView, eventSessionView } from '../../contract/full/telemetry-views.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { describeTag, json, jsonBody } from '../describe-endpoint.ts'
import { readJson } from '../json-body.ts'
import { readListQuery } from '../list-query.ts'
import { throttle } from '../middleware/require-token.ts'
import { reply, replyPieces } from '../reply.ts'
import { pathId } from '../request-ids.ts'

/** Bytes of one report. */
const reportBytesMax = 256 * 1024

const description = describeTag('Telemetry')

export const eventSessionRoutes = (deps: Deps, { eventSessions }: PersistentServices) => {
  const { nowMs } = deps.platform
  return new Hono<AppEnv>()
    .post(
      '/',
      description(
        'Report events, in a new session or a known one',
        { 201: json('The session', eventSessionAnswer) },
        { body: jsonBody(reportSchema), example: { device: { model: 'X1' }, events: [{ event: 'opened' }] } },
      ),
      async (c) => {
        const { authority } = c.var
        authority.scope('create', 'event_session')
        await throttle(deps, 'telemetry', authority.principal.userId)
        const { companyId, ...report } = parseReport(await readJson(c, reportBytesMax))
        const company = authority.companyFor('event_session', companyId)
        return reply(c, eventSessionView(await eventSessions.add(authority, company, report)), 201)
      },
    )
    .get(
      '/',
      description(
        'List event sessions',
        { 200: json('A page of sessions', listOf(eventSessionAnswer)) },
        { list: eventSessionFields },
      ),
      async (c) => {
        const scope = c.var.authority.list('event_session')
        const query = readListQuery(c, eventSessionFields, nowMs())
        return replyPieces(c, listPieces(query, await eventSessions.list(query, scope), eventSessionView))
      },
    )
    .get(
      '/:session',
      description('One event session', { 200: json('The session', eventSessionAnswer) }),
      async (c) =>
        reply(c, eventSessionView(await eventSessions.find(c.var.authority, pathId(c, 'session')))),
    )
    .get(
      '/:session/records',
      description(
        'The events of a session',
        { 200: json('A page of events', listOf(eventRecordAnswer)) },
        { list: eventRecordFields },
      ),
      async (c) => {
        const session = await eventSessions.find(c.var.authority, pathId(c, 'session'))
        const query = readListQuery(c, eventRecordFields, nowMs())
        return replyPieces(
          c,
          listPieces(query, await eventSessions.listEvents(session, query), eventRecordView),
        )
      },
    )
}
