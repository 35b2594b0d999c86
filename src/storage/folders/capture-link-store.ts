import { and, eq, inArray, isNull, lt, lte, max, sql } from 'drizzle-orm'
import { AppError } from '../../errors.ts'
import type { ListScope } from '../../identity/authority.ts'
import type { CaptureLink, LinkedFolder } from '../../records/capture-link.ts'
import type { Listing, ListQuery } from '../../records/list-query.ts'
import type { Database, Queries } from '../database.ts'
import { firstPace, readInBatches } from '../lists/batches.ts'
import { amongIds, listConditions } from '../lists/list-conditions.ts'
import { readPageKeys } from '../lists/page-keys.ts'
import { analyses, folders } from '../schema.ts'
import { captureLinkFolders, captureLinks } from './capture-link-schema.ts'
import { selectFolderNumber } from './folder-rows.ts'
import { isSettled, isUntold, queueLinkEvents, stateAt, tellStates } from './link-states.ts'

type Row = typeof captureLinks.$inferSelect

function toRecord(row: Row, linked: readonly LinkedFolder[]): CaptureLink {
  const { secretHash, consentText, consentHash, createdAt, expiresAt, openedAt, capturedAt, ...rest } = row
  const { withdrawnAt, toldState: _, ...shown } = rest
  return {
    ...shown,
    consent: consentText === null ? null : { text: consentText, sha256: consentHash! },
    createdAtMs: createdAt,
    expiresAtMs: expiresAt,
    openedAtMs: openedAt,
    capturedAtMs: capturedAt,
    withdrawnAtMs: withdrawnAt,
    folders: linked,
  }
}

const columns = {
  id: { column: captureLinks.id },
  companyId: { column: captureLinks.companyId },
  userId: { column: captureLinks.userId },
  createdAt: { column: captureLinks.createdAt },
  expiresAt: { column: captureLinks.expiresAt },
}

/** The folders of links, the oldest first. */
async function readFolders(
  queries: Queries,
  linkIds: readonly string[],
): Promise<Map<string, LinkedFolder[]>> {
  const rows = await queries
    .select({
      linkId: captureLinkFolders.linkId,
      id: folders.id,
      isSettled,
      endedAt: max(analyses.updatedAt),
    })
    .from(captureLinkFolders)
    .innerJoin(folders, eq(folders.number, captureLinkFolders.folderNumber))
    .leftJoin(analyses, eq(analyses.folderNumber, folders.number))
    .where(amongIds(captureLinkFolders.linkId, linkIds))
    .groupBy(folders.number)
    .orderBy(folders.number)
  const byLink = new Map<string, LinkedFolder[]>()
  for (const { linkId, id, isSettled, endedAt } of rows) {
    const linked = { id, decidedAtMs: isSettled ? endedAt : null }
    byLink.set(linkId, [...(byLink.get(linkId) ?? []), linked])
  }
  return byLink
}

/** Links that take captures. */
export class CaptureLinkStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async insert(link: CaptureLink, secretHash: string): Promise<void> {
    const { consent, createdAtMs, expiresAtMs, openedAtMs, capturedAtMs, withdrawnAtMs, ...rest } = link
    const { folders: _, ...row } = rest
    await this.#database.write((queries) =>
      queries.insert(captureLinks).values({
        ...row,
        secretHash,
        consentText: consent?.text ?? null,
        consentHash: consent?.sha256 ?? null,
        createdAt: createdAtMs,
        expiresAt: expiresAtMs,
      }),
    )
  }

  find(by: { id: string } | { secretHash: string }): Promise<CaptureLink | null> {
    const which = 'id' in by ? eq(captureLinks.id, by.id) : eq(captureLinks.secretHash, by.secretHash)
    return this.#database.read(async (queries) => {
      const [row] = await queries.select().from(captureLinks).where(which)
      return row ? toRecord(row, (await readFolders(queries, [row.id])).get(row.id) ?? []) : null
    })
  }

  async list(query: ListQuery, scope: ListScope, nowMs: number): Promise<Listing<CaptureLink>> {
    const where = and(
      scope.companyId === undefined ? undefined : eq(captureLinks.companyId, scope.companyId),
      scope.userId === undefined ? undefined : eq(captureLinks.userId, scope.userId),
      ...listConditions(query.filters, { ...columns, state: { column: stateAt(nowMs) } }),
    )
    const { keys, total } = await this.#database.read((queries) =>
      readPageKeys(queries, captureLinks.id, columns, query, where),
    )
    const batches = readInBatches(keys, firstPace(this.#database), (batch) =>
      this.#database.read(async (queries) => {
        const rows = await queries.select().from(captureLinks).where(amongIds(captureLinks.id, batch))
        const linked = await readFolders(queries, batch)
        return new Map(rows.map((row) => [row.id, toRecord(row, linked.get(row.id) ?? [])]))
      }),
    )
    return { batches, total }
  }

  /** Notes that the page was opened, the first time. */
  async open(id: string, nowMs: number): Promise<void> {
    await this.#database.write(async (queries) => {
      await queries
        .update(captureLinks)
        .set({ openedAt: nowMs })
        .where(and(eq(captureLinks.id, id), isNull(captureLinks.openedAt)))
      await tellStates(queries, eq(captureLinks.id, id), nowMs)
    })
  }

  /** Lets a link take nothing more, unless it has taken all, and removes what it may say of a person. */
  async withdraw(id: string, nowMs: number): Promise<void> {
    const { used, uses, withdrawnAt } = captureLinks
    await this.#database.write(async (queries) => {
      await queries
        .update(captureLinks)
        .set({ withdrawnAt: nowMs, metadata: {}, returnUrl: null })
        .where(and(eq(captureLinks.id, id), isNull(withdrawnAt), sql`${used} < ${uses}`))
      await tellStates(queries, eq(captureLinks.id, id), nowMs)
    })
  }

  /** Queues the events of up to `atMost` links that have expired. @returns how many */
  async tellExpired(nowMs: number, atMost: number): Promise<number> {
    const { id, expiresAt, toldState } = captureLinks
    // Usually there are none: replicas that only look must not wait for each other's writes.
    const rows = await this.#database.read((queries) =>
      queries
        .select({ id })
        .from(captureLinks)
        .where(and(lte(expiresAt, nowMs), sql`${toldState} <> 'expired'`, isUntold(nowMs)))
        .limit(atMost),
    )
    const ids = rows.map((row) => row.id)
    if (ids.length > 0) await this.#database.write((queries) => tellStates(queries, inArray(id, ids), nowMs))
    return ids.length
  }

  /**
   * Part of the transaction that stores a folder: uses the link once. The last use removes what it may say of a person.
   * @throws {AppError} `link_ended` if it has no use left or was withdrawn meanwhile: the folder is then not stored
   */
  take(id: string, folderId: string, nowMs: number): (queries: Queries) => Promise<void> {
    const { used, uses, toldState, withdrawnAt, metadata, returnUrl } = captureLinks
    const isLast = sql`${used} + 1 = ${uses}`
    return async (queries) => {
      const taken = await queries
        .update(captureLinks)
        .set({
          used: sql`${used} + 1`,
          capturedAt: nowMs,
          // A capture that was under way at the end of its time leaves a link expired that has uses left.
          toldState: sql`iif(${toldState} = 'expired', 'expired', 'captured')`,
          metadata: sql`case when ${isLast} then '{}' else ${metadata} end`,
          returnUrl: sql`case when ${isLast} then null else ${returnUrl} end`,
        })
        .where(and(eq(captureLinks.id, id), sql`${used} < ${uses}`, isNull(withdrawnAt)))
        .returning({ id: captureLinks.id })
      if (taken.length === 0) {
        const [row] = await queries.select({ withdrawnAt }).from(captureLinks).where(eq(captureLinks.id, id))
        const state = row?.withdrawnAt === null ? 'captured' : 'withdrawn'
        throw new AppError('link_ended', '', { details: { state } })
      }
      await queries
        .insert(captureLinkFolders)
        .values({ linkId: id, folderNumber: selectFolderNumber(folderId) })
      await queueLinkEvents(queries, eq(captureLinks.id, id), sql`'captured'`, nowMs, folderId)
    }
  }

  /** Removes up to `atMost` links that had expired at this time. @returns how many */
  deleteExpired(atMs: number, atMost: number): Promise<number> {
    return this.#database.write(async (queries) => {
      const rows = await queries
        .select({ id: captureLinks.id })
        .from(captureLinks)
        .where(lt(captureLinks.expiresAt, atMs))
        .limit(atMost)
      const ids = rows.map(({ id }) => id)
      if (ids.length > 0) await queries.delete(captureLinks).where(inArray(captureLinks.id, ids))
      return ids.length
    })
  }
}
