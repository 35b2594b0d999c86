/** The tables of webhooks: queued events, secrets, and the log of attempts. */
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { LinkState } from '../../records/capture-link.ts'
import { uuid } from '../column-types.ts'
import { captureLinks } from '../folders/capture-link-schema.ts'
import { companies, folders } from '../schema.ts'

/** Queued webhook events. A row is deleted once its webhook was delivered or given up. */
export const outbox = sqliteTable(
  'outbox',
  {
    id: uuid().primaryKey(),
    /** The folder that is told, or that came by the link. */
    folderId: uuid('folder_id').references(() => folders.id, { onDelete: 'cascade' }),
    /** The link that is told, with its new state; `null` in events of folders. */
    linkId: uuid('link_id').references(() => captureLinks.id, { onDelete: 'cascade' }),
    state: text().$type<LinkState>(),
    /** Copied from the folder or link: companies are served in turn. */
    companyId: uuid('company_id'),
    url: text().notNull(),
    attempt: integer().notNull().default(1),
    dueAt: integer('due_at').notNull(),
    /** Until when the attempt is a replica's; `null` if none has taken it. */
    leasedUntil: integer('leased_until'),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    index('outbox_due').on(t.dueAt),
    index('outbox_folder').on(t.folderId),
    index('outbox_link').on(t.linkId),
    index('outbox_company').on(t.companyId, t.dueAt),
  ],
)

/** The secrets that sign the webhooks of a company, generated on first use. */
export const webhookSecrets = sqliteTable('webhook_secrets', {
  companyId: uuid('company_id')
    .primaryKey()
    .references(() => companies.id, { onDelete: 'cascade' }),
  secret: text().notNull(),
  /** The previous secret, which signs too until `previousUntil`. */
  previous: text(),
  previousUntil: integer('previous_until'),
  createdAt: integer('created_at').notNull(),
})

/** The log of delivery attempts, shown to the company. */
export const deliveries = sqliteTable(
  'deliveries',
  {
    number: integer().primaryKey({ autoIncrement: true }),
    eventId: uuid('event_id').notNull(),
    /** What was told, as in the outbox. */
    folderId: uuid('folder_id').references(() => folders.id, { onDelete: 'cascade' }),
    linkId: uuid('link_id').references(() => captureLinks.id, { onDelete: 'cascade' }),
    state: text().$type<LinkState>(),
    companyId: uuid('company_id'),
    attempt: integer().notNull(),
    status: integer(),
    reason: text(),
    at: integer().notNull(),
  },
  (t) => [
    index('deliveries_company').on(t.companyId, t.at),
    index('deliveries_folder').on(t.folderId),
    index('deliveries_link').on(t.linkId),
    index('deliveries_event').on(t.eventId, t.attempt),
  ],
)
