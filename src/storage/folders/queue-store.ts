/** The folders that wait for a person, and who looks at which of them. */
import { and, asc, eq, gt, ne, or, type SQL, sql } from 'drizzle-orm'
import type { WaitingResult } from '../../decide/folder-result.ts'
import type { ListScope } from '../../identity/authority.ts'
import type { Paging } from '../../records/list-query.ts'
import type { QueueEntry, QueuePage } from '../../records/queue.ts'
import type { Database, Queries } from '../database.ts'
import { decisions, folders } from '../schema.ts'

const counts = {
  OPERATOR_REQUIRED: folders.waitingRequired,
  DECLINED: folders.waitingDeclined,
  FAILED: folders.waitingFailed,
} as const satisfies Record<WaitingResult, unknown>

/** Who takes a folder, and for how long. */
interface Lease {
  viewerId: string
  nowMs: number
  untilMs: number
}

const shown = {
  folderId: folders.id,
  companyId: folders.companyId,
  since: folders.waitingSince,
  ...counts,
  viewerId: folders.viewerId,
  viewedUntil: folders.viewedUntil,
}

const select = (queries: Queries) =>
  queries.select({ number: folders.number, firstAnalysisAt: folders.firstAnalysisAt, ...shown }).from(folders)

function toEntry(row: Awaited<ReturnType<typeof select>>[number], nowMs: number): QueueEntry {
  const isViewed = row.viewedUntil !== null && row.viewedUntil > nowMs
  return {
    folderId: row.folderId,
    companyId: row.companyId,
    sinceMs: row.since,
    waiting: { OPERATOR_REQUIRED: row.OPERATOR_REQUIRED, DECLINED: row.DECLINED, FAILED: row.FAILED },
    viewerId: isViewed ? row.viewerId : null,
    viewedUntilMs: isViewed ? row.viewedUntil : null,
  }
}

/** Each result has an index of the folders that wait for it. */
const isWaiting = (results: readonly WaitingResult[], { companyId, userId }: ListScope): SQL | undefined =>
  and(
    or(...results.map((result) => gt(counts[result], 0))),
    companyId === undefined ? undefined : eq(folders.companyId, companyId),
    userId === undefined ? undefined : eq(folders.userId, userId),
  )

/** Nobody looks at it, except perhaps the one who asks. */
const isFreeFor = ({ viewerId, nowMs }: Lease): SQL =>
  sql`(coalesce(${folders.viewedUntil}, 0) <= ${nowMs} or ${eq(folders.viewerId, viewerId)})`

/** The newest verdict on it is not one of this person that waits for a second one. */
const isUndecidedBy = (authorId: string): SQL =>
  sql`coalesce((select ${decisions.isEffective} or ${ne(decisions.authorId, authorId)} from ${decisions} where ${decisions.folderNumber} = ${folders.number} and ${decisions.status} in ('SUCCESS', 'DECLINED') order by ${decisions.number} desc limit 1), 1)`

const release = (queries: Queries, folderId: string, viewerId: string) =>
  queries
    .update(folders)
    .set({ viewerId: null, viewedUntil: null })
    .where(and(eq(folders.id, folderId), eq(folders.viewerId, viewerId)))

export class QueueStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** The oldest first. @param results those that count */
  async list(
    results: readonly WaitingResult[],
    scope: ListScope,
    { offset, limit }: Paging,
    nowMs: number,
  ): Promise<QueuePage> {
    const where = isWaiting(results, scope)
    const analyses = sql<number>`coalesce(sum(${sql.join(
      results.map((result) => sql`${counts[result]}`),
      sql` + `,
    )}), 0)`
    return this.#database.read(async (queries) => {
      const rows = await select(queries)
        .where(where)
        .orderBy(asc(folders.waitingSince), asc(folders.number))
        .limit(limit ?? Number.MAX_SAFE_INTEGER)
        .offset(offset)
      const [sums] = await queries
        .select({
          total: sql<number>`count(*)`,
          analyses,
          oldestMs: sql<number | null>`min(${folders.waitingSince})`,
        })
        .from(folders)
        .where(where)
      return { items: rows.map((row) => toEntry(row, nowMs)), ...sums! }
    })
  }

  /**
   * Takes the oldest waiting folder that nobody else looks at.
   * @param afterId the folder that it shall follow, which is left; the queue begins again after its end
   * @param needsSecond whether folders wait for the decision of a second person
   * @returns `null` if there is none besides that folder
   */
  takeNext(
    results: readonly WaitingResult[],
    scope: ListScope,
    afterId: string | null,
    lease: Lease,
    needsSecond: boolean,
  ): Promise<QueueEntry | null> {
    return this.#database.write(async (queries) => {
      const free = and(
        isWaiting(results, scope),
        isFreeFor(lease),
        afterId === null ? undefined : ne(folders.id, afterId),
        needsSecond ? isUndecidedBy(lease.viewerId) : undefined,
      )
      const first = async (where: SQL | undefined) => {
        const [row] = await select(queries)
          .where(where)
          .orderBy(asc(folders.waitingSince), asc(folders.number))
          .limit(1)
        return row
      }
      const [after] = afterId === null ? [] : await select(queries).where(eq(folders.id, afterId))
      // One that was decided waits no more.
      const since = after?.since ?? after?.firstAnalysisAt
      const isAfter =
        since && sql`(${folders.waitingSince}, ${folders.number}) > (${since}, ${after!.number})`
      const next = (isAfter && (await first(and(free, isAfter)))) ?? (await first(free))
      if (!next) return null
      if (afterId !== null) await release(queries, afterId, lease.viewerId)
      const { viewerId, untilMs } = lease
      await queries
        .update(folders)
        .set({ viewerId, viewedUntil: untilMs })
        .where(eq(folders.number, next.number))
      return toEntry({ ...next, viewerId, viewedUntil: untilMs }, lease.nowMs)
    })
  }

  /** Takes a folder, or takes it for longer, unless somebody else looks at it. @returns it as it is now; `null` if it is gone */
  take(folderId: string, lease: Lease): Promise<QueueEntry | null> {
    return this.#database.write(async (queries) => {
      const isOne = eq(folders.id, folderId)
      await queries
        .update(folders)
        .set({ viewerId: lease.viewerId, viewedUntil: lease.untilMs })
        .where(and(isOne, isFreeFor(lease)))
      const [row] = await select(queries).where(isOne)
      return row ? toEntry(row, lease.nowMs) : null
    })
  }

  /** Leaves a folder that the viewer has taken. */
  async release(folderId: string, viewerId: string): Promise<void> {
    await this.#database.write((queries) => release(queries, folderId, viewerId))
  }
}
