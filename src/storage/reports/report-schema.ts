/** The tables of reports and their templates. */
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { uuid } from '../column-types.ts'
import { companies, created, flag, folders } from '../schema.ts'

export const reports = sqliteTable(
  'reports',
  {
    id: uuid().primaryKey(),
    folderId: uuid('folder_id')
      .notNull()
      .references(() => folders.id, { onDelete: 'cascade' }),
    /** Owner of the folder. */
    companyId: uuid('company_id'),
    userId: uuid('user_id'),
    authorId: uuid('author_id').notNull(),
    templateId: uuid('template_id').notNull(),
    templateName: text('template_name').notNull(),
    attachments: flag('attachments', false),
    pdfSize: integer('pdf_size').notNull(),
    htmlSize: integer('html_size').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    index('reports_folder').on(t.folderId, t.createdAt),
    index('reports_company').on(t.companyId, t.createdAt),
    index('reports_user').on(t.userId, t.createdAt),
    index('reports_created').on(t.createdAt),
  ],
)

export const reportTemplates = sqliteTable(
  'report_templates',
  {
    id: uuid().primaryKey(),
    companyId: uuid('company_id')
      .notNull()
      .references(() => companies.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    attachments: flag('attachments', false),
    metadataFields: text('metadata_fields', { mode: 'json' }).$type<readonly string[]>().notNull(),
    html: text(),
    ...created,
  },
  (t) => [index('report_templates_company').on(t.companyId, t.createdAt)],
)
