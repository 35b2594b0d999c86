/** Reports of folders. */

import { type Context, Hono } from 'hono'
import type { PersistentServices } from '../../compose/services.ts'
import { listOf } from '../../contract/answers/parts.ts'
import { reportAnswer } from '../../contract/answers/reports.ts'
import { reportFields } from '../../contract/full/list-fields.ts'
import { listPieces } from '../../contract/full/list-view.ts'
import { newReportSchema, parseNewReport } from '../../contract/full/report-bodies.ts'
import { reportView } from '../../contract/full/report-views.ts'
import type { ReportRecord } from '../../records/report.ts'
import { answerOptions } from '../answer-options.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { describeTag, json, jsonBody } from '../describe-endpoint.ts'
import { readJson } from '../json-body.ts'
import { readListQuery } from '../list-query.ts'
import { reply, replyPieces } from '../reply.ts'
import { pathId } from '../request-ids.ts'

const description = describeTag('Reports')

/** Reports of a folder. */
export const folderReportRoutes = (deps: Deps, { folders, reports }: PersistentServices) => {
  const { platform } = deps
  const options = answerOptions(deps, 'full', false)
  const viewIn = (c: Context<AppEnv>) => {
    const views = options(c)
    return (report: ReportRecord) => reportView(report, views)
  }
  return new Hono<AppEnv>()
    .post(
      '/:folder/reports',
      description(
        'Make a report of a folder, as PDF and HTML',
        { 201: json('The report, with links to its PDF and HTML', reportAnswer) },
        { body: jsonBody(newReportSchema), example: {} },
      ),
      async (c) => {
        const { authority } = c.var
        const folder = await folders.find(authority, 'create', 'report', pathId(c, 'folder'))
        return reply(
          c,
          viewIn(c)(await reports.create(authority, folder, parseNewReport(await readJson(c)))),
          201,
        )
      },
    )
    .get(
      '/:folder/reports',
      description(
        'Reports of a folder',
        { 200: json('A page of reports', listOf(reportAnswer)) },
        { list: reportFields },
      ),
      async (c) => {
        const folder = await folders.find(c.var.authority, 'read', 'report', pathId(c, 'folder'))
        const query = readListQuery(c, reportFields, platform.nowMs())
        return replyPieces(c, listPieces(query, await reports.listOf(folder, query), viewIn(c)))
      },
    )
}

export const reportRoutes = (deps: Deps, { reports }: PersistentServices) => {
  const { platform } = deps
  const options = answerOptions(deps, 'full', false)
  const viewIn = (c: Context<AppEnv>) => {
    const views = options(c)
    return (report: ReportRecord) => reportView(report, views)
  }
  return new Hono<AppEnv>()
    .get(
      '/',
      description(
        'List reports',
        { 200: json('A page of reports', listOf(reportAnswer)) },
        { list: reportFields },
      ),
      async (c) => {
        const scope = c.var.authority.list('report')
        const query = readListQuery(c, reportFields, platform.nowMs())
        return replyPieces(c, listPieces(query, await reports.list(query, scope), viewIn(c)))
      },
    )
    .get(
      '/:report',
      description('One report', { 200: json('The report, with links to its PDF and HTML', reportAnswer) }),
      async (c) => reply(c, viewIn(c)(await reports.find(c.var.authority, 'read', pathId(c, 'report')))),
    )
    .delete('/:report', description('Remove a report', { 204: 'The report is removed' }), async (c) => {
      await reports.remove(await reports.find(c.var.authority, 'delete', pathId(c, 'report')))
      return c.body(null, 204)
    })
}
