/** The tables of links that take captures. */
import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { CaptureMode, LinkState } from '../../records/capture-link.ts'
import type { Metadata } from '../../records/medium.ts'
import { uuid } from '../column-types.ts'
import { companies, folders, sentJson } from '../schema.ts'

export const captureLinks = sqliteTable(
  'capture_links',
  {
    id: uuid().primaryKey(),
    companyId: uuid('company_id')
      .notNull()
      .references(() => companies.id, { onDelete: 'cascade' }),
    userId: uuid('user_id').notNull(),
    /** SHA-256 of the secret in its address. */
    secretHash: text('secret_hash').notNull(),
    mode: text().$type<CaptureMode>().notNull(),
    analyses: sentJson<readonly Metadata[]>(),
    metadata: sentJson<Metadata>(),
    language: text(),
    consentText: text('consent_text'),
    consentHash: text('consent_hash'),
    returnUrl: text('return_url'),
    resolutionEndpoint: text('resolution_endpoint'),
    stateEndpoint: text('state_endpoint'),
    /** The state that was told last. */
    toldState: text('told_state').$type<LinkState>().notNull().default('sent'),
    uses: integer().notNull(),
    used: integer().notNull().default(0),
    createdAt: integer('created_at').notNull(),
    expiresAt: integer('expires_at').notNull(),
    openedAt: integer('opened_at'),
    capturedAt: integer('captured_at'),
    withdrawnAt: integer('withdrawn_at'),
  },
  (t) => [
    uniqueIndex('capture_links_secret').on(t.secretHash),
    index('capture_links_company').on(t.companyId, t.createdAt),
    index('capture_links_created').on(t.createdAt),
    index('capture_links_end').on(t.expiresAt),
    index('capture_links_untold')
      .on(t.expiresAt)
      .where(sql`${t.stateEndpoint} is not null and ${t.toldState} <> 'expired'`),
  ],
)

/** The folders that came by links. */
export const captureLinkFolders = sqliteTable(
  'capture_link_folders',
  {
    linkId: uuid('link_id')
      .notNull()
      .references(() => captureLinks.id, { onDelete: 'cascade' }),
    folderNumber: integer('folder_number')
      .notNull()
      .references(() => folders.number, { onDelete: 'cascade' }),
  },
  (t) => [
    primaryKey({ columns: [t.linkId, t.folderNumber] }),
    index('capture_link_folders_folder').on(t.folderNumber),
  ],
)
