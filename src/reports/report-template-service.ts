/** Templates of reports: those that every company has, and those of companies. */
import { suggestName } from '../contract/unknown-name.ts'
import { AppError } from '../errors.ts'
import type { Authority, Authorized, ListScope } from '../identity/authority.ts'
import type { ListQuery, Page } from '../records/list-query.ts'
import type { ReportTemplate } from '../records/report.ts'
import type { ReportTemplateStore, TemplateHead } from '../storage/reports/report-template-store.ts'
import { shippedTemplates } from './shipped-templates.ts'
import { parseTemplate } from './template.ts'

/** What a caller sets of a template. */
type TemplateContent = Pick<ReportTemplate, 'name' | 'attachments' | 'metadataFields' | 'html'>

interface ReportTemplateServiceDeps {
  templates: ReportTemplateStore
  nowMs(): number
  randomId(): string
}

const shippedHeads: readonly TemplateHead[] = shippedTemplates.map(({ html: _, ...head }) => head)

const findShipped = (id: string): ReportTemplate | null =>
  shippedTemplates.find((template) => template.id === id) ?? null

/** @throws {AppError} `value_invalid` */
function refuseWrongHtml(html: string | null | undefined): void {
  if (typeof html === 'string') parseTemplate(html, suggestName)
}

export class ReportTemplateService {
  readonly #deps: ReportTemplateServiceDeps

  constructor(deps: ReportTemplateServiceDeps) {
    this.#deps = deps
  }

  /**
   * A template to read: one of the caller's scope, or one that every company has.
   * @throws {AppError} `forbidden`, `not_found`
   */
  async read(authority: Authority, id: string): Promise<ReportTemplate> {
    authority.scope('read', 'report_template')
    return findShipped(id) ?? this.find(authority, 'read', id)
  }

  /**
   * A template of a company.
   * @throws {AppError} `forbidden`, `not_found`; `not_allowed` for one that every company has
   */
  async find<U extends 'read' | 'update' | 'delete'>(
    authority: Authority,
    use: U,
    id: string,
  ): Promise<Authorized<ReportTemplate, `${U} report_template`>> {
    authority.scope(use, 'report_template')
    if (findShipped(id))
      throw new AppError('not_allowed', 'This template comes with the service: make one of your own instead')
    return authority.require(
      use,
      'report_template',
      () => this.#deps.templates.find(id),
      ({ companyId }) => ({ companyId, userId: null }),
    )
  }

  /**
   * The template of a report.
   * @param id `null` for the usual one
   * @throws {AppError} `value_invalid` for one that the company does not have
   */
  async forReport(id: string | null, companyId: string | null): Promise<ReportTemplate> {
    if (id === null) return shippedTemplates[0]
    const template = findShipped(id) ?? (await this.#deps.templates.find(id))
    if (template && (template.companyId === null || template.companyId === companyId)) return template
    throw new AppError('value_invalid', 'template_id names a template that the company does not have', {
      details: { key_path: 'template_id' },
      place: 'template_id',
    })
  }

  /** One page: the templates that every company has come first, unless the list is filtered. */
  async list(
    query: ListQuery,
    { companyId }: Authorized<ListScope, 'read report_template'>,
  ): Promise<Page<TemplateHead>> {
    const shipped = query.filters.length > 0 ? [] : shippedHeads
    const { offset, limit } = query
    const first = shipped.slice(offset, limit === null ? undefined : offset + limit)
    const { items, total } = await this.#deps.templates.list(
      {
        ...query,
        offset: Math.max(0, offset - shipped.length),
        limit: limit === null ? null : limit - first.length,
      },
      companyId ?? null,
    )
    return { items: [...first, ...items], total: total === null ? null : total + shipped.length }
  }

  /** @throws {AppError} `value_invalid` for HTML that is not a template, and as `ReportTemplateStore.insert` */
  async create(
    { companyId }: Authorized<{ companyId: string }, 'create report_template'>,
    content: TemplateContent,
  ): Promise<ReportTemplate> {
    const { templates, nowMs, randomId } = this.#deps
    refuseWrongHtml(content.html)
    const now = nowMs()
    const template = { id: randomId(), companyId, ...content, createdAtMs: now, updatedAtMs: now }
    await templates.insert(template)
    return template
  }

  /** @throws {AppError} `value_invalid` for HTML that is not a template, `not_found` if it was removed meanwhile */
  async change(
    { id }: Authorized<ReportTemplate, 'update report_template'>,
    change: Partial<TemplateContent>,
  ): Promise<ReportTemplate> {
    refuseWrongHtml(change.html)
    const changed = await this.#deps.templates.update(id, change, this.#deps.nowMs())
    if (!changed) throw new AppError('not_found')
    return changed
  }

  /** Reports made by the template stay. */
  remove({ id }: Authorized<ReportTemplate, 'delete report_template'>): Promise<void> {
    return this.#deps.templates.delete(id)
  }
}
