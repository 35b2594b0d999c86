/** Answers about reports and their templates. */
import * as v from 'valibot'
import { count, id, idOrNull, text, textOrNull, time, timeOrNull } from './parts.ts'

const file = v.strictObject({ size: count })

export const reportAnswer = v.strictObject({
  report_id: id,
  folder_id: id,
  company_id: idOrNull,
  user_id: idOrNull,
  template_id: idOrNull,
  template_name: text,
  attachments: v.boolean(),
  state: v.literal('FINISHED'),
  file_name: text,
  report_url: text,
  html_url: text,
  info: v.strictObject({ pdf: file, html: file }),
  time_created: time,
})

export const reportTemplateAnswer = v.strictObject({
  template_id: id,
  company_id: idOrNull,
  name: text,
  attachments: v.boolean(),
  meta_data_fields: v.array(text),
  html: v.optional(textOrNull),
  is_shipped: v.boolean(),
  time_created: timeOrNull,
  time_updated: timeOrNull,
})
