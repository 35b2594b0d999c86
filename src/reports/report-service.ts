/** Makes, lists and removes reports of folders. */
import type { ViewOptions } from '../contract/full/media-view.ts'
import { AppError } from '../errors.ts'
import type { NewBlob, RecordFiles } from '../folders/record-files.ts'
import type { Authority, Authorized, ListScope } from '../identity/authority.ts'
import { gatherBytes } from '../queue/loop-turns.ts'
import { Mutex } from '../queue/mutex.ts'
import type { CompanyRecord } from '../records/account.ts'
import type { DecisionRecord } from '../records/decision.ts'
import type { FolderRecord } from '../records/folder.ts'
import type { Listing, ListQuery } from '../records/list-query.ts'
import {
  type ReportForm,
  type ReportRecord,
  type ReportTemplate,
  reportFile,
  reportFileName,
} from '../records/report.ts'
import { keepBlobs } from '../storage/blobs/blob-ledger.ts'
import type { ReportStore } from '../storage/reports/report-store.ts'
import { makeReport } from './make-report.ts'
import type { WritePdf } from './pdf/render-pdf.ts'
import { renderHtml } from './render-html.ts'
import type { Report, ReportPicture } from './report.ts'
import { collectPictures, type PictureSource } from './report-pictures.ts'
import type { ReportTemplateService } from './report-template-service.ts'
import { shippedTemplates } from './shipped-templates.ts'
import { parseTemplate } from './template.ts'

type ReportedCompany = Pick<CompanyRecord, 'name' | 'referenceField'>

interface ReportServiceDeps {
  reports: ReportStore
  /** The decisions of operators on a folder, the oldest first. */
  decisionsOn(folderId: string): Promise<readonly DecisionRecord[]>
  templates: ReportTemplateService
  files: RecordFiles
  ensureSnapshot: PictureSource['ensureSnapshot']
  findCompany(id: string): Promise<ReportedCompany | null>
  writePdf: WritePdf
  options: Pick<ViewOptions, 'showReplay' | 'showLiveness'>
  version: string
  nowMs(): number
  randomId(): string
}

/** What a caller asks for. */
interface ReportRequest {
  /** `null` for the usual template. */
  templateId: string | null
  /** Fields of the folder's metadata, `null` for what the company calls its cases and for those of the template. */
  metadataFields: readonly string[] | null
}

/** Characters of the HTML. */
const htmlLengthMax = 24 * 2 ** 20
/** Reports that wait for their turn. */
const waitingMax = 20

const mimeTypes: Record<ReportForm, string> = { pdf: 'application/pdf', html: 'text/html; charset=utf-8' }

export class ReportService {
  readonly #deps: ReportServiceDeps
  /** One report is made at a time: its pictures and files are in memory. */
  readonly #turns = new Mutex()
  #waiting = 0

  constructor(deps: ReportServiceDeps) {
    this.#deps = deps
  }

  /** @throws {AppError} `forbidden`, `not_found` */
  find<U extends 'read' | 'delete'>(
    authority: Authority,
    use: U,
    id: string,
  ): Promise<Authorized<ReportRecord, `${U} report`>> {
    return authority.require(
      use,
      'report',
      () => this.#deps.reports.find(id),
      (report) => report,
    )
  }

  list(query: ListQuery, scope: Authorized<ListScope, 'read report'>): Promise<Listing<ReportRecord>> {
    return this.#deps.reports.list(query, scope, null)
  }

  listOf({ id }: Authorized<FolderRecord, 'read report'>, query: ListQuery): Promise<Listing<ReportRecord>> {
    return this.#deps.reports.list(query, {}, id)
  }

  /**
   * Makes a report of a folder as it is now.
   * @throws {AppError} `value_invalid` for a template that the company does not have; `not_allowed` for a folder whose personal
   *   data was removed, or a report that gets too long; `overloaded`; and as `ReportStore.insert`
   */
  async create(
    authority: Authority,
    folder: Authorized<FolderRecord, 'create report'>,
    request: ReportRequest,
  ): Promise<ReportRecord> {
    if (folder.isCleared) throw new AppError('not_allowed', 'Personal data of the folder was removed')
    const { templates, findCompany } = this.#deps
    const template = await templates.forReport(request.templateId, folder.companyId)
    const company = folder.companyId === null ? null : await findCompany(folder.companyId)
    const reference = company?.referenceField ?? []
    const metadataFields = request.metadataFields ?? [...new Set([reference, template.metadataFields].flat())]
    if (this.#waiting >= waitingMax) throw new AppError('overloaded', 'too many reports are being made')
    this.#waiting++
    try {
      return await this.#turns.run(() =>
        this.#make(authority, folder, { ...template, metadataFields }, company),
      )
    } finally {
      this.#waiting--
    }
  }

  /** Removes a report with its files. */
  async remove(report: Authorized<ReportRecord, 'delete report'>): Promise<void> {
    const { reports, files } = this.#deps
    const nowMs = this.#deps.nowMs()
    await reports.delete(report, nowMs)
    await files.remove({ ownerId: report.folderId, dueMs: nowMs })
  }

  async #make(
    authority: Authority,
    folder: FolderRecord,
    template: ReportTemplate,
    company: ReportedCompany | null,
  ): Promise<ReportRecord> {
    const { reports, files, writePdf, nowMs, randomId } = this.#deps
    const id = randomId()
    const createdAtMs = nowMs()
    const report = await this.#describe(id, createdAtMs, folder, template, company)
    const html = await this.#writeHtml(template, report)
    const pdf = await writePdf(report)
    const record: ReportRecord = {
      ...{ id, folderId: folder.id, companyId: folder.companyId, userId: folder.userId },
      authorId: authority.principal.userId,
      ...{ templateId: template.id, templateName: template.name, attachments: template.attachments },
      ...{ pdfSize: pdf.length, htmlSize: html.length, createdAtMs },
    }
    const blob = (form: ReportForm, bytes: Uint8Array): NewBlob => ({
      key: reportFile(folder.id, id, form),
      bytes,
      mimeType: mimeTypes[form],
    })
    const mediumIds = folder.media.map((medium) => medium.id)
    await files.write([blob('pdf', pdf), blob('html', html)], (keys) =>
      reports.insert(record, mediumIds, (queries) => keepBlobs(queries, keys)),
    )
    return record
  }

  async #describe(
    id: string,
    createdAtMs: number,
    folder: FolderRecord,
    template: ReportTemplate,
    company: ReportedCompany | null,
  ): Promise<Report> {
    const { files, ensureSnapshot, decisionsOn, options, version } = this.#deps
    const pictures: ReadonlyMap<string, readonly ReportPicture[]> = template.attachments
      ? await collectPictures({ read: (file) => files.read(file), ensureSnapshot }, folder)
      : new Map()
    return makeReport({
      ...{ id, createdAtMs, folder, template, version, options },
      decisions: await decisionsOn(folder.id),
      fileName: reportFileName(folder.id, id, 'pdf'),
      companyName: company?.name ?? '',
      referenceField: company?.referenceField ?? null,
      picturesOf: (medium) => pictures.get(medium.id) ?? [],
    })
  }

  async #writeHtml({ html }: ReportTemplate, report: Report): Promise<Uint8Array> {
    const nodes = parseTemplate(html ?? shippedTemplates[0].html)
    return gatherBytes(renderHtml(nodes, report, htmlLengthMax))
  }
}
