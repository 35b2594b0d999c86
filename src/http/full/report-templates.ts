/** Templates of reports. */

import { Hono } from 'hono'
import type { PersistentServices } from '../../compose/services.ts'
import { listOf } from '../../contract/answers/parts.ts'
import { reportTemplateAnswer } from '../../contract/answers/reports.ts'
import { reportTemplateFields } from '../../contract/full/list-fields.ts'
import { listPieces } from '../../contract/full/list-view.ts'
import {
  newTemplateSchema,
  parseNewTemplate,
  parseTemplateChange,
  templateChangeSchema,
} from '../../contract/full/report-bodies.ts'
import { reportTemplateView } from '../../contract/full/report-views.ts'
import type { AppEnv, Deps } from '../app-env.ts'
import { describeTag, json, jsonBody } from '../describe-endpoint.ts'
import { readJson } from '../json-body.ts'
import { readListQuery } from '../list-query.ts'
import { reply, replyPieces } from '../reply.ts'
import { pathId } from '../request-ids.ts'

/** Bytes of a body: HTML as JSON has escapes. */
const bodyBytesMax = 2 ** 20

const description = describeTag('Reports')

export const reportTemplateRoutes = ({ platform }: Deps, { reportTemplates }: PersistentServices) =>
  new Hono<AppEnv>()
    .post(
      '/',
      description(
        'Create a report template',
        { 201: json('The template', reportTemplateAnswer) },
        { body: jsonBody(newTemplateSchema), example: { name: 'Short', attachments: false } },
      ),
      async (c) => {
        const { authority } = c.var
        authority.scope('create', 'report_template')
        const { companyId, content } = parseNewTemplate(await readJson(c, bodyBytesMax))
        const company = authority.companyFor('report_template', companyId)
        return reply(c, reportTemplateView(await reportTemplates.create(company, content)), 201)
      },
    )
    .get(
      '/',
      description(
        'List report templates',
        { 200: json('A page of templates', listOf(reportTemplateAnswer)) },
        { list: reportTemplateFields },
      ),
      async (c) => {
        const scope = c.var.authority.list('report_template')
        const query = readListQuery(c, reportTemplateFields, platform.nowMs())
        const { items, total } = await reportTemplates.list(query, scope)
        return replyPieces(c, listPieces(query, { batches: [items], total }, reportTemplateView))
      },
    )
    .get(
      '/:template',
      description('One report template', { 200: json('The template', reportTemplateAnswer) }),
      async (c) =>
        reply(c, reportTemplateView(await reportTemplates.read(c.var.authority, pathId(c, 'template')))),
    )
    .patch(
      '/:template',
      description(
        'Change a report template',
        { 200: json('The template', reportTemplateAnswer) },
        { body: jsonBody(templateChangeSchema), example: { name: 'Shorter' } },
      ),
      async (c) => {
        const template = await reportTemplates.find(c.var.authority, 'update', pathId(c, 'template'))
        const change = parseTemplateChange(await readJson(c, bodyBytesMax))
        return reply(c, reportTemplateView(await reportTemplates.change(template, change)))
      },
    )
    .delete(
      '/:template',
      description('Remove a report template; its reports stay', { 204: 'The template is removed' }),
      async (c) => {
        await reportTemplates.remove(
          await reportTemplates.find(c.var.authority, 'delete', pathId(c, 'template')),
        )
        return c.body(null, 204)
      },
    )
