/**
 * The tables. Times are milliseconds since 1970; ids are UUIDs; JSON columns hold the records of `src/records` as they are.
 * Folders and media also have a number, by which other tables refer to them and lists settle what is equally old.
 *
 * Rows that belong to a folder go with it. Lists are read by company, newest first, so that their indices begin with it;
 * those without it serve administrators, who see all companies. Where an index ends with what a folder's analyses are,
 * counting by that reads no folder.
 */
import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { AnalysisSubject } from '../analyses/registry.ts'
import type { ClipFindings, Findings, SubjectAssessment } from '../assess/assessment.ts'
import type { UserType } from '../identity/roles.ts'
import type { OperatorDecision } from '../records/analysis.ts'
import type { Metadata, PictureFacts } from '../records/medium.ts'
import type { DetectedFace } from '../vision/face.ts'
import {
  associations,
  floats,
  type PackedImage,
  packedModels,
  packedOriginal,
  packedPicture,
  packedSample,
  uuid,
  word,
} from './column-types.ts'
import { analysisTypes, resolutions, states } from './folders/analysis-summary.ts'

const resolution = word(resolutions)
const state = word(states)
const analysisType = word(analysisTypes)
export const json = <T>() => text({ mode: 'json' }).$type<T>().notNull()
export const flag = (name: string, standard: boolean) =>
  integer(name, { mode: 'boolean' }).notNull().default(standard)

export const created = {
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
}

/** Values the service itself made and must keep: keys, the first administrator. */
export const secrets = sqliteTable('secrets', { name: text().primaryKey(), value: text().notNull() })

export const companies = sqliteTable(
  'companies',
  {
    id: uuid().primaryKey(),
    name: text().notNull(),
    /** Administrators and operators belong to it. */
    isSystem: flag('is_system', false),
    inDeletion: flag('in_deletion', false),
    metadata: json<Metadata>(),
    ...created,
  },
  (t) => [uniqueIndex('companies_system').on(t.isSystem).where(sql`${t.isSystem} = 1`)],
)

export const users = sqliteTable(
  'users',
  {
    id: uuid().primaryKey(),
    companyId: uuid('company_id')
      .notNull()
      .references(() => companies.id, { onDelete: 'cascade' }),
    type: text().$type<UserType>().notNull(),
    /** In lower case. */
    email: text().notNull(),
    passwordHash: text('password_hash').notNull(),
    firstName: text('first_name'),
    lastName: text('last_name'),
    middleName: text('middle_name'),
    mayBiometry: flag('may_biometry', true),
    mayCollection: flag('may_collection', true),
    mayDocuments: flag('may_documents', true),
    mayQuality: flag('may_quality', true),
    isActive: flag('is_active', true),
    metadata: json<Metadata>(),
    ...created,
  },
  (t) => [uniqueIndex('users_email').on(t.email), index('users_company').on(t.companyId, t.createdAt)],
)

export const sessions = sqliteTable(
  'sessions',
  {
    /** The contract's `session_id`. */
    number: integer().primaryKey({ autoIncrement: true }),
    id: uuid().notNull(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    accessHash: text('access_hash').notNull(),
    expireHash: text('expire_hash').notNull(),
    ttlMs: integer('ttl_ms').notNull(),
    expiresAt: integer('expires_at').notNull(),
    /** The session that this one was made from, until this one is used. */
    replaces: uuid(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('sessions_access').on(t.accessHash),
    uniqueIndex('sessions_expire').on(t.expireHash),
    index('sessions_user').on(t.userId),
    index('sessions_end').on(t.expiresAt),
  ],
)

/** Holds all that lists filter by, since what a user may see is read along it whatever else is asked for. */
export const foldersOfUser = 'folders_user'

export const folders = sqliteTable(
  'folders',
  {
    number: integer().primaryKey(),
    id: uuid().notNull(),
    companyId: uuid('company_id').references(() => companies.id, { onDelete: 'cascade' }),
    userId: uuid('user_id'),
    resolutionEndpoint: text('resolution_endpoint'),
    resolutionStatus: resolution('resolution_status').notNull(),
    systemResolution: resolution('system_resolution').notNull(),
    operatorStatus: text('operator_status'),
    operatorComment: text('operator_comment'),
    reviewAuthorId: uuid('review_author_id'),
    reviewAt: integer('review_at'),
    isCleared: flag('is_cleared', false),
    metadata: json<Metadata>(),
    ...created,
    /** What its analyses are (`analysisSummaryMask`), and when the oldest and the newest of them were asked for. */
    analysed: integer().notNull().default(0),
    firstAnalysisAt: integer('first_analysis_at'),
    lastAnalysisAt: integer('last_analysis_at'),
  },
  (t) => [
    uniqueIndex('folders_id').on(t.id),
    index('folders_company_created').on(
      ...[t.companyId, t.createdAt, t.analysed, t.firstAnalysisAt, t.lastAnalysisAt],
    ),
    index('folders_company_updated').on(t.companyId, t.updatedAt, t.createdAt),
    index('folders_company_status').on(t.companyId, t.resolutionStatus, t.createdAt),
    index('folders_company_system').on(t.companyId, t.systemResolution, t.createdAt),
    index(foldersOfUser).on(
      ...[t.userId, t.createdAt, t.companyId, t.updatedAt, t.resolutionStatus, t.systemResolution],
      ...[t.operatorStatus, t.isCleared, t.analysed, t.firstAnalysisAt, t.lastAnalysisAt],
    ),
    index('folders_created').on(t.createdAt, t.analysed, t.firstAnalysisAt, t.lastAnalysisAt),
    index('folders_updated').on(t.updatedAt, t.createdAt),
    index('folders_status').on(t.resolutionStatus, t.createdAt),
    index('folders_system').on(t.systemResolution, t.createdAt),
    index('folders_company_cleared').on(t.companyId, t.isCleared, t.createdAt).where(sql`${t.isCleared} = 1`),
    index('folders_cleared').on(t.isCleared, t.createdAt).where(sql`${t.isCleared} = 1`),
    index('folders_company_operator')
      .on(t.companyId, t.operatorStatus, t.createdAt)
      .where(sql`${t.operatorStatus} is not null`),
    index('folders_operator').on(t.operatorStatus, t.createdAt).where(sql`${t.operatorStatus} is not null`),
  ],
)

/**
 * Every scalar of a folder's metadata, so that filters on it are looked up. The migration makes it a table without row
 * ids, which the query builder has no word for.
 */
export const folderLeaves = sqliteTable(
  'folder_leaves',
  {
    owner: integer()
      .notNull()
      .references(() => folders.number, { onDelete: 'cascade' }),
    path: text().notNull(),
    value: text().notNull(),
    /** The folder's own, so that a list is read from one index, in its order. */
    companyId: uuid('company_id'),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.owner, t.path] }),
    index('folder_leaves_value').on(t.path, t.value, t.createdAt, t.owner, t.companyId),
  ],
)

const folderNumber = () =>
  integer('folder_number')
    .notNull()
    .references(() => folders.number, { onDelete: 'cascade' })

export const media = sqliteTable(
  'media',
  {
    number: integer().primaryKey(),
    id: uuid().notNull(),
    folderNumber: folderNumber(),
    tags: json<readonly string[]>(),
    originalName: text('original_name'),
    original: packedOriginal().notNull(),
    thumbnail: packedPicture().notNull(),
    sample: packedSample(),
    metadata: json<Metadata>(),
    ...created,
  },
  (t) => [uniqueIndex('media_id').on(t.id), index('media_folder').on(t.folderNumber, t.createdAt)],
)

/** What was found in a medium, for analyses to come; templates apart. */
export interface StoredFindings {
  quarterTurns: number
  faces: readonly DetectedFace[]
  subject: SubjectAssessment | null
  clip: ClipFindings | null
  print: Findings['print']
  bestShot: PictureFacts | null
  actionShot: PictureFacts | null
}

export const findings = sqliteTable('findings', {
  mediumNumber: integer('medium_number')
    .primaryKey()
    .references(() => media.number, { onDelete: 'cascade' }),
  /** Profile and networks that answered; what others found is not reused. */
  models: text().notNull(),
  found: json<StoredFindings>(),
  template: floats(),
})

export const analyses = sqliteTable(
  'analyses',
  {
    number: integer().primaryKey(),
    id: uuid().notNull(),
    folderNumber: folderNumber(),
    companyId: uuid('company_id'),
    groupId: uuid('group_id').notNull(),
    type: analysisType().notNull(),
    state: state().notNull(),
    resolutionStatus: resolution('resolution_status').notNull(),
    systemResolution: resolution('system_resolution').notNull(),
    parameters: json<AnalysisSubject['parameters']>(),
    /** JSON in which media are named by their place in `media` (`packEvidence`). */
    evidence: text(),
    media: associations().notNull(),
    /** The pictures that were made of each medium; `null` for none at all. */
    outputImages: text('output_images', { mode: 'json' }).$type<readonly (readonly PackedImage[])[]>(),
    models: packedModels(),
    failure: text({ mode: 'json' }).$type<{ code: number; message: string; mediumId: string | null }>(),
    operator: text({ mode: 'json' }).$type<OperatorDecision>(),
    metadata: json<Metadata>(),
    /** How often a worker has taken it up. */
    attempts: integer().notNull().default(0),
    /** While it waits: from when it may be taken up. While it runs: when its worker is given up. */
    dueAt: integer('due_at'),
    /** Who works on it; `null` while it waits. */
    leasedBy: text('leased_by'),
    startedAt: integer('started_at'),
    ...created,
  },
  (t) => [
    uniqueIndex('analyses_id').on(t.id),
    index('analyses_folder').on(t.folderNumber, t.type, t.createdAt),
    index('analyses_due')
      .on(t.companyId, t.dueAt)
      .where(sql`${t.state} = ${sql.raw(String(states.indexOf('PROCESSING')))}`),
  ],
)

/** Results that are to be announced; a row goes when its webhook was answered or given up. */
export const outbox = sqliteTable(
  'outbox',
  {
    id: uuid().primaryKey(),
    folderId: uuid('folder_id')
      .notNull()
      .references(() => folders.id, { onDelete: 'cascade' }),
    /** The folder's own: companies are served in turn. */
    companyId: uuid('company_id'),
    url: text().notNull(),
    attempt: integer().notNull().default(1),
    dueAt: integer('due_at').notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    index('outbox_due').on(t.dueAt),
    index('outbox_folder').on(t.folderId),
    index('outbox_company').on(t.companyId, t.dueAt),
  ],
)

/** What signs the webhooks of a company; made when it is first asked for. */
export const webhookSecrets = sqliteTable('webhook_secrets', {
  companyId: uuid('company_id')
    .primaryKey()
    .references(() => companies.id, { onDelete: 'cascade' }),
  secret: text().notNull(),
  /** The one before, which signs as well until its time is over. */
  previous: text(),
  previousUntil: integer('previous_until'),
  createdAt: integer('created_at').notNull(),
})

/** Every attempt at a delivery, for the company to see. */
export const deliveries = sqliteTable(
  'deliveries',
  {
    number: integer().primaryKey({ autoIncrement: true }),
    eventId: uuid('event_id').notNull(),
    folderId: uuid('folder_id')
      .notNull()
      .references(() => folders.id, { onDelete: 'cascade' }),
    companyId: uuid('company_id'),
    attempt: integer().notNull(),
    status: integer(),
    reason: text(),
    at: integer().notNull(),
  },
  (t) => [index('deliveries_company').on(t.companyId, t.at), index('deliveries_folder').on(t.folderId)],
)

/** Files that must go: those of deleted records, and those of uploads that were never finished. */
export const blobRemovals = sqliteTable(
  'blob_removals',
  { key: text().primaryKey(), dueAt: integer('due_at').notNull() },
  (t) => [index('blob_removals_due').on(t.dueAt)],
)

/** How many analyses each company asked for on a day, for billing; nothing else of them. */
export const usage = sqliteTable(
  'usage',
  {
    companyId: uuid('company_id').notNull(),
    day: text().notNull(),
    type: text().notNull(),
    count: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.companyId, t.day, t.type] })],
)
