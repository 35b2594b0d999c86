/** The decisions of operators on folders, as they were made. */
import { Hono } from 'hono'
import type { PersistentServices } from '../../compose/services.ts'
import { decisionAnswer } from '../../contract/answers/folders.ts'
import { listOf } from '../../contract/answers/parts.ts'
import { decisionView } from '../../contract/full/decision-view.ts'
import { decisionFields } from '../../contract/full/list-fields.ts'
import { listPieces } from '../../contract/full/list-view.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { describeTag, json } from '../describe-endpoint.ts'
import { readListQuery } from '../list-query.ts'
import { replyPieces } from '../reply.ts'
import { pathId } from '../request-ids.ts'

/** What 409 means of a decision. */
export const decidedMeanwhile =
  'The folder is not what it was, or another operator has decided; `details` has the newest decision'

const description = describeTag('Folders')

export const folderDecisionRoutes = ({ platform }: Deps, { folders, users }: PersistentServices) =>
  new Hono<AppEnv>().get(
    '/:folder/decisions',
    description(
      'Decisions of operators on a folder; none is ever replaced',
      { 200: json('A page of decisions', listOf(decisionAnswer)) },
      { list: decisionFields },
    ),
    async (c) => {
      const { authority } = c.var
      const folder = await folders.find(authority, 'read', 'queue', pathId(c, 'folder'))
      const query = readListQuery(c, decisionFields, platform.nowMs())
      const { items, total } = await folders.decisions(folder, query)
      const authors = await users.findVisible(authority, [...new Set(items.map(({ authorId }) => authorId))])
      return replyPieces(
        c,
        listPieces(query, { batches: [items], total }, (decision) =>
          decisionView(decision, authors.get(decision.authorId)?.email ?? null),
        ),
      )
    },
  )
