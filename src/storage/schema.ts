/**
 * The tables. Times are milliseconds since 1970; ids are UUIDs; JSON columns hold the records of `src/records` unchanged.
 * Folders and media also have a number. Other tables refer to it, and lists use it to break ties between equal times.
 *
 * Rows that belong to a folder are deleted with it. Lists are read by company, newest first, so their indexes start with
 * the company. Indexes without it serve administrators, who see all companies. Some indexes end with the summary of a
 * folder's analyses, so that counting by it reads no folder.
 */
import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { AnalysisSubject } from '../analyses/registry.ts'
import type { Failure } from '../decide/analysis.ts'
import type { CaptureFacts } from '../decide/capture.ts'
import type { UserType } from '../identity/roles.ts'
import type { OperatorDecision } from '../records/analysis.ts'
import type { DecisionReason } from '../records/decision.ts'
import type { Metadata } from '../records/medium.ts'
import type { SandboxName } from '../records/sandbox.ts'
import {
  associations,
  bytes,
  exactJson,
  type PackedImage,
  packedDetails,
  packedModels,
  packedOriginal,
  packedPicture,
  packedSample,
  textOrBytes,
  uuid,
  uuids,
  word,
} from './column-types.ts'
import { analysisTypes, resolutions, states } from './folders/analysis-summary.ts'

const resolution = word(resolutions)
const state = word(states)
const analysisType = word(analysisTypes)
export const json = <T>() => text({ mode: 'json' }).$type<T>().notNull()
/** JSON of a caller. */
export const sentJson = <T>() => exactJson<T>()().notNull()
export const flag = (name: string, defaultValue: boolean) =>
  integer(name, { mode: 'boolean' }).notNull().default(defaultValue)

export const created = {
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
}

/** Values that the service generated and must keep: keys, the first administrator. */
export const secrets = sqliteTable('secrets', { name: text().primaryKey(), value: text().notNull() })

export const companies = sqliteTable(
  'companies',
  {
    id: uuid().primaryKey(),
    name: text().notNull(),
    /** Administrators and operators belong to it. */
    isSystem: flag('is_system', false),
    inDeletion: flag('in_deletion', false),
    isSandbox: flag('is_sandbox', false),
    metadata: sentJson<Metadata>(),
    referenceField: text('reference_field'),
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
    /** As `normalizeEmail` writes it. */
    email: text().notNull(),
    passwordHash: text('password_hash').notNull(),
    /** In base 32; `null` without a second factor. */
    secondFactor: text('second_factor'),
    /** The step of the last code that was accepted; `null` until the first one, which puts the second factor in force. */
    secondFactorStep: integer('second_factor_step'),
    /** Issuer and subject at the identity provider of the organisation, with a space between them; `null` if the user is not linked. */
    openId: text('open_id'),
    firstName: text('first_name'),
    lastName: text('last_name'),
    middleName: text('middle_name'),
    mayBiometry: flag('may_biometry', true),
    mayCollection: flag('may_collection', true),
    mayDocuments: flag('may_documents', true),
    mayQuality: flag('may_quality', true),
    isActive: flag('is_active', true),
    metadata: sentJson<Metadata>(),
    ...created,
  },
  (t) => [
    uniqueIndex('users_email').on(t.email),
    uniqueIndex('users_open_id').on(t.openId),
    index('users_company').on(t.companyId, t.createdAt),
  ],
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
    /** Of a service token, or the program that signed in. */
    name: text(),
    accessHash: text('access_hash').notNull(),
    expireHash: text('expire_hash').notNull(),
    ttlMs: integer('ttl_ms').notNull(),
    expiresAt: integer('expires_at').notNull(),
    /** The session that this one was refreshed from, until this one is used. */
    replaces: uuid(),
    /** The end that no use moves; `null` for none. */
    endsByMs: integer('ends_by_ms'),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('sessions_id').on(t.id),
    uniqueIndex('sessions_access').on(t.accessHash),
    uniqueIndex('sessions_expire').on(t.expireHash),
    index('sessions_user').on(t.userId),
    index('sessions_end').on(t.expiresAt),
  ],
)

/** Session tokens of containers that were accepted, until they expire: each is accepted once. */
export const usedSessionTokens = sqliteTable(
  'used_session_tokens',
  { id: text().primaryKey(), expiresAt: integer('expires_at').notNull() },
  (t) => [index('used_session_tokens_end').on(t.expiresAt)],
)

/** This index covers all filters of lists, since lists limited to a user are always read along it. */
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
    metadata: sentJson<Metadata>(),
    ...created,
    /** Summary of its analyses (`analysisSummaryMask`), and when the oldest and the newest of them were requested. */
    analysed: integer().notNull().default(0),
    firstAnalysisAt: integer('first_analysis_at'),
    lastAnalysisAt: integer('last_analysis_at'),
    /** Analyses that no person has decided (`computeReview`), by their result, and when the oldest of them was requested. */
    waitingRequired: integer('waiting_required').notNull().default(0),
    waitingDeclined: integer('waiting_declined').notNull().default(0),
    waitingFailed: integer('waiting_failed').notNull().default(0),
    waitingSince: integer('waiting_since'),
    /** The operator who looks at it, and until when. */
    viewerId: uuid('viewer_id'),
    viewedUntil: integer('viewed_until'),
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
    index('folders_waiting_required').on(t.waitingSince, t.companyId).where(sql`${t.waitingRequired} > 0`),
    index('folders_waiting_declined').on(t.waitingSince, t.companyId).where(sql`${t.waitingDeclined} > 0`),
    index('folders_waiting_failed').on(t.waitingSince, t.companyId).where(sql`${t.waitingFailed} > 0`),
  ],
)

/**
 * Every scalar of a folder's metadata, indexed for filters. The migration creates it as `WITHOUT ROWID`, which the query
 * builder cannot express.
 */
export const folderLeaves = sqliteTable(
  'folder_leaves',
  {
    owner: integer()
      .notNull()
      .references(() => folders.number, { onDelete: 'cascade' }),
    path: text().notNull(),
    value: text().notNull(),
    /** Copied from the folder, so that one index gives a list in its order. */
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
    /** `null` unless the medium came in a container. */
    capture: text({ mode: 'json' }).$type<CaptureFacts>(),
    metadata: sentJson<Metadata>(),
    ...created,
  },
  (t) => [uniqueIndex('media_id').on(t.id), index('media_folder').on(t.folderNumber, t.createdAt)],
)

/** The findings of a medium, for later analyses (`codec/findings-codec.ts`). Template vectors are stored in a column of their own. */
export const findings = sqliteTable('findings', {
  mediumNumber: integer('medium_number')
    .primaryKey()
    .references(() => media.number, { onDelete: 'cascade' }),
  /** Profile and networks that produced the findings; findings of others are not reused. */
  models: text().notNull(),
  found: textOrBytes().notNull(),
  template: bytes(),
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
    /** JSON in which media are referred to by their index in `media` (`packEvidence`). */
    evidence: text(),
    media: associations().notNull(),
    /** The pictures made from each medium; `null` if there are none. */
    outputImages: text('output_images', { mode: 'json' }).$type<readonly (readonly PackedImage[])[]>(),
    models: packedModels(),
    /** How the result came about, in the order of `media`; `null` if not requested. */
    details: packedDetails(),
    failure: text({ mode: 'json' }).$type<Failure>(),
    /** Why a rule declined it; `null` if its scores decided. */
    declineReason: text('decline_reason'),
    operator: text({ mode: 'json' }).$type<OperatorDecision>(),
    /** The outcome that was asked for; `null` unless the company or the server is a sandbox. */
    sandbox: text().$type<SandboxName>(),
    metadata: sentJson<Metadata>(),
    /** How often a worker has taken it. */
    attempts: integer().notNull().default(0),
    /** While it waits: when a worker may take it. While it runs: when the lease of its worker ends. */
    dueAt: integer('due_at'),
    /** The worker that runs it; `null` while it waits. */
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

/** The decisions of operators on a folder. Rows are added, and removed with their folder; personal data loses their comments. */
export const decisions = sqliteTable(
  'decisions',
  {
    number: integer().primaryKey(),
    id: uuid().notNull(),
    folderNumber: folderNumber(),
    analysisIds: uuids('analysis_ids').notNull(),
    status: text(),
    reason: text().$type<DecisionReason>(),
    comment: text().notNull(),
    authorId: uuid('author_id').notNull(),
    stateHash: text('state_hash'),
    isEffective: flag('is_effective', true),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [index('decisions_folder').on(t.folderNumber, t.number)],
)

/** Files to delete: those of deleted records, and those of unfinished uploads. */
export const blobRemovals = sqliteTable(
  'blob_removals',
  {
    key: text().primaryKey(),
    dueAt: integer('due_at').notNull(),
    /** How often deleting it has failed. */
    attempts: integer().notNull().default(0),
  },
  (t) => [
    index('blob_removals_due').on(t.dueAt),
    index('blob_removals_failed').on(t.attempts).where(sql`${t.attempts} > 0`),
  ],
)

/** The data-encryption keys of folders and collections (`encryption/`), made with their first file and removed with them. */
export const dataKeys = sqliteTable(
  'data_keys',
  {
    ownerId: uuid('owner_id').primaryKey(),
    /** Id of the key of STORAGE_KEYS that wrapped it. */
    kek: text().notNull(),
    wrapped: bytes().notNull(),
    createdAt: integer('created_at').notNull(),
  },
  (t) => [index('data_keys_kek').on(t.kek)],
)

/** Number of analyses each company requested per day, for billing; no other data about them. */
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
