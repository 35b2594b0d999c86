/** Reports of folders and their templates as they are stored. */

export interface ReportTemplate {
  id: string
  /** `null` for templates that every company has. */
  companyId: string | null
  name: string
  /** Whether reports show pictures. */
  attachments: boolean
  /** The fields of a folder's metadata that reports show. */
  metadataFields: readonly string[]
  /** Of HTML reports; `null` for that of the shipped templates. */
  html: string | null
  createdAtMs: number
  updatedAtMs: number
}

export interface ReportRecord {
  id: string
  folderId: string
  /** Owner of the folder. */
  companyId: string | null
  userId: string | null
  /** Who made the report. */
  authorId: string
  templateId: string
  templateName: string
  attachments: boolean
  /** Bytes of the PDF. */
  pdfSize: number
  /** Bytes of the HTML. */
  htmlSize: number
  createdAtMs: number
}

export const reportForms = ['pdf', 'html'] as const
export type ReportForm = (typeof reportForms)[number]

/** Name of a file in the blob store. */
export const reportFile = (folderId: string, reportId: string, form: ReportForm): string =>
  `${folderId}/${reportId}_report.${form}`

/** Name under which a file is given out; it contains the folder's id. */
export const reportFileName = (folderId: string, reportId: string, form: ReportForm): string =>
  `report_${folderId}_${reportId}.${form}`

/** What a browser may do with the HTML of a report: show it, without scripts, addresses and forms. */
export const reportPolicy =
  "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
