import { and, count, eq, getTableColumns } from 'drizzle-orm'
import { AppError } from '../../errors.ts'
import type { ListQuery, Page } from '../../records/list-query.ts'
import type { ReportTemplate } from '../../records/report.ts'
import type { Database } from '../database.ts'
import { listConditions, listOrder } from '../lists/list-conditions.ts'
import { companies } from '../schema.ts'
import { reportTemplates } from './report-schema.ts'

/** Templates of one company. */
const templatesMax = 100

/** A template as lists show it. */
export type TemplateHead = Omit<ReportTemplate, 'html'>

const { html: _, ...headColumns } = getTableColumns(reportTemplates)

type Row = typeof reportTemplates.$inferSelect

const toHead = ({ createdAt, updatedAt, ...row }: Omit<Row, 'html'>): TemplateHead => ({
  ...row,
  createdAtMs: createdAt,
  updatedAtMs: updatedAt,
})

const toTemplate = ({ html, ...row }: Row): ReportTemplate => ({ ...toHead(row), html })

const columns = {
  companyId: { column: reportTemplates.companyId },
  name: { column: reportTemplates.name },
  createdAt: { column: reportTemplates.createdAt },
  updatedAt: { column: reportTemplates.updatedAt },
}

/** Templates of reports that companies have made. */
export class ReportTemplateStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** @throws {AppError} `value_invalid` if there is no such company, `not_allowed` if it has too many templates */
  async insert(template: ReportTemplate & { companyId: string }): Promise<void> {
    const { createdAtMs, updatedAtMs, ...row } = template
    const ofCompany = eq(reportTemplates.companyId, template.companyId)
    await this.#database.write(async (queries) => {
      const [company] = await queries
        .select({ inDeletion: companies.inDeletion })
        .from(companies)
        .where(eq(companies.id, template.companyId))
      if (!company || company.inDeletion)
        throw new AppError('value_invalid', 'company_id names a company that does not exist', {
          details: { key_path: 'company_id' },
          place: 'company_id',
        })
      const [counted] = await queries.select({ total: count() }).from(reportTemplates).where(ofCompany)
      if ((counted?.total ?? 0) >= templatesMax)
        throw new AppError('not_allowed', `A company has at most ${templatesMax} report templates`)
      await queries.insert(reportTemplates).values({ ...row, createdAt: createdAtMs, updatedAt: updatedAtMs })
    })
  }

  async find(id: string): Promise<ReportTemplate | null> {
    const [row] = await this.#database.read((queries) =>
      queries.select().from(reportTemplates).where(eq(reportTemplates.id, id)),
    )
    return row ? toTemplate(row) : null
  }

  /** @param companyId the company that the list is limited to, `null` for all */
  list(query: ListQuery, companyId: string | null): Promise<Page<TemplateHead>> {
    const where = and(
      companyId === null ? undefined : eq(reportTemplates.companyId, companyId),
      ...listConditions(query.filters, columns),
    )
    return this.#database.read(async (queries) => {
      const rows = await queries
        .select(headColumns)
        .from(reportTemplates)
        .where(where)
        .orderBy(...listOrder(query.sorting, columns, reportTemplates.id))
        .limit(query.limit ?? Number.MAX_SAFE_INTEGER)
        .offset(query.offset)
      const [counted] = query.totalOmit
        ? []
        : await queries.select({ total: count() }).from(reportTemplates).where(where)
      return { items: rows.map(toHead), total: counted?.total ?? null }
    })
  }

  /** @returns the template as it is now; `null` if it no longer exists */
  async update(
    id: string,
    change: Partial<Pick<ReportTemplate, 'name' | 'attachments' | 'metadataFields' | 'html'>>,
    nowMs: number,
  ): Promise<ReportTemplate | null> {
    const [row] = await this.#database.write((queries) =>
      queries
        .update(reportTemplates)
        .set({ ...change, updatedAt: nowMs })
        .where(eq(reportTemplates.id, id))
        .returning(),
    )
    return row ? toTemplate(row) : null
  }

  async delete(id: string): Promise<void> {
    await this.#database.write((queries) => queries.delete(reportTemplates).where(eq(reportTemplates.id, id)))
  }
}
