/** Reports and their templates in answers. The contract has their paths and some of their names; the others are our own. */
import { type ReportRecord, type ReportTemplate, reportFile, reportFileName } from '../../records/report.ts'
import type { Json } from '../spaced-json.ts'
import { seconds, secondsOrNull, type ViewOptions } from './media-view.ts'

/** Reports are made within their request, so each is finished. */
export const reportView = (report: ReportRecord, { linkTo }: Pick<ViewOptions, 'linkTo'>): Json => ({
  report_id: report.id,
  folder_id: report.folderId,
  company_id: report.companyId,
  user_id: report.authorId,
  template_id: report.templateId,
  template_name: report.templateName,
  attachments: report.attachments,
  state: 'FINISHED',
  file_name: reportFileName(report.folderId, report.id, 'pdf'),
  report_url: linkTo(reportFile(report.folderId, report.id, 'pdf')),
  html_url: linkTo(reportFile(report.folderId, report.id, 'html')),
  info: { pdf: { size: report.pdfSize }, html: { size: report.htmlSize } },
  time_created: seconds(report.createdAtMs),
})

/** A template as lists show it; one template is shown with its HTML. */
export const reportTemplateView = (
  template: Omit<ReportTemplate, 'html'> & Partial<Pick<ReportTemplate, 'html'>>,
): Json => {
  const isShipped = template.companyId === null
  return {
    template_id: template.id,
    company_id: template.companyId,
    name: template.name,
    attachments: template.attachments,
    meta_data_fields: template.metadataFields,
    ...(template.html === undefined ? {} : { html: template.html }),
    is_shipped: isShipped,
    time_created: secondsOrNull(isShipped ? null : template.createdAtMs),
    time_updated: secondsOrNull(isShipped ? null : template.updatedAtMs),
  }
}
