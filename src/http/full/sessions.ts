/** The sessions and service tokens of a user. This is our own, not part of the contract. */
import { Hono } from 'hono'
import type { PersistentServices } from '../../compose/services.ts'
import { listedSessionAnswer } from '../../contract/answers/accounts.ts'
import { listOf } from '../../contract/answers/parts.ts'
import { listedSessionView } from '../../contract/full/account-views.ts'
import { sessionFields } from '../../contract/full/list-fields.ts'
import { listPieces } from '../../contract/full/list-view.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { describeTag, json } from '../describe-endpoint.ts'
import { readListQuery } from '../list-query.ts'
import { replyPieces } from '../reply.ts'
import { pathId } from '../request-ids.ts'

const description = describeTag('Users')

export const sessionRoutes = ({ platform }: Deps, { userSessions }: PersistentServices) =>
  new Hono<AppEnv>()
    .get(
      '/:user/sessions',
      description(
        'Sessions and service tokens of a user',
        { 200: json('A page of sessions', listOf(listedSessionAnswer)) },
        { list: sessionFields },
      ),
      async (c) => {
        const { authority } = c.var
        const query = readListQuery(c, sessionFields, platform.nowMs())
        const listing = await userSessions.list(authority, pathId(c, 'user'), query)
        const { sessionId } = authority.principal
        return replyPieces(
          c,
          listPieces(query, listing, (session) => listedSessionView(session, sessionId)),
        )
      },
    )
    .delete(
      '/:user/sessions/:session',
      description('End a session, or revoke a service token', { 204: 'The session has ended' }),
      async (c) => {
        await userSessions.end(c.var.authority, pathId(c, 'user'), pathId(c, 'session'))
        return c.body(null, 204)
      },
    )
