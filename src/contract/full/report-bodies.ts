/** Request bodies of reports and their templates. */
import * as v from 'valibot'
import type { ReportTemplate } from '../../records/report.ts'
import { flagSchema, parseWith, strictMembers } from '../parse.ts'

/** Characters of the HTML of a template. */
const htmlLengthMax = 256 * 1024
const fieldsMax = 50

const id = v.pipe(v.string(), v.toLowerCase(), v.uuid())
const name = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(200), v.regex(/^[^\p{Cc}\p{Cs}]*$/u))
const metadataFields = v.pipe(
  v.array(v.pipe(v.string(), v.minLength(1), v.maxLength(200))),
  v.maxLength(fieldsMax),
)
const html = v.pipe(v.string(), v.minLength(1), v.maxLength(htmlLengthMax))

export const newTemplateSchema = strictMembers({
  name,
  company_id: v.nullish(id, null),
  attachments: v.nullish(flagSchema, true),
  meta_data_fields: v.nullish(metadataFields, []),
  html: v.nullish(html, null),
})

export const templateChangeSchema = strictMembers({
  name: v.nullish(name),
  attachments: v.nullish(flagSchema),
  meta_data_fields: v.nullish(metadataFields),
  html: v.optional(v.nullable(html)),
})

export const newReportSchema = strictMembers({
  template_id: v.nullish(id, null),
  meta_data_fields: v.nullish(metadataFields, null),
})

type Content = Pick<ReportTemplate, 'name' | 'attachments' | 'metadataFields' | 'html'>

/** @throws {AppError} as `parseWith` */
export function parseNewTemplate(body: unknown): { companyId: string | null; content: Content } {
  const { company_id, meta_data_fields, ...content } = parseWith(newTemplateSchema, body)
  return { companyId: company_id, content: { ...content, metadataFields: meta_data_fields } }
}

/** @returns the fields to change. `html: null` stands for the HTML of the service's own templates. @throws {AppError} as `parseWith` */
export function parseTemplateChange(body: unknown): Partial<Content> {
  const change = parseWith(templateChangeSchema, body)
  return {
    ...(change.name == null ? {} : { name: change.name }),
    ...(change.attachments == null ? {} : { attachments: change.attachments }),
    ...(change.meta_data_fields == null ? {} : { metadataFields: change.meta_data_fields }),
    ...(change.html === undefined ? {} : { html: change.html }),
  }
}

/** @throws {AppError} as `parseWith` */
export function parseNewReport(body: unknown): {
  templateId: string | null
  metadataFields: readonly string[] | null
} {
  const { template_id, meta_data_fields } = parseWith(newReportSchema, body)
  return { templateId: template_id, metadataFields: meta_data_fields }
}
