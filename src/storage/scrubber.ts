/** Overwrites what was removed from a local database, in its file and in its write-ahead log. */
import { inArray, sql } from 'drizzle-orm'
import type { LibSQLDatabase } from 'drizzle-orm/libsql'
import { loopTurns } from '../queue/loop-turns.ts'
import type { Mutex } from '../queue/mutex.ts'
import { pause } from '../queue/timers.ts'
import { isBusy } from './engine-error.ts'
import { clearGap, tellablePagesMax } from './page-gaps.ts'

/** The write-ahead log of a local database. */
export interface WriteAheadLog {
  /** Bytes. */
  size(): Promise<number>
  /** Numbers of the pages that were committed to it since the last call. */
  newPages(): Promise<readonly number[]>
}

/** Milliseconds before each further attempt while another process reads the log, such as a backup. */
const retryDelaysMs = [50, 200, 500]
/** Pages that are read at once: some milliseconds of work. */
const pagesAtOnce = 100
/** A longer log is emptied by the write that has made it so. */
const logBytesMax = 4 * 2 ** 20

const dbpage = sql.raw('sqlite_dbpage')

interface Page {
  pgno: number
  data: ArrayBuffer | Uint8Array
}

export interface ScrubberDeps {
  queries: LibSQLDatabase
  /** The turn of writes. */
  writer: Mutex
  /** `null` if nobody tells what is in it: then pages are written back as they are. */
  log: WriteAheadLog | null
  /** Called after another process has refused a transaction. */
  replaceConnections(): void
}

export class Scrubber {
  readonly #deps: ScrubberDeps
  /** An attempt that has not begun: it serves all who ask meanwhile. */
  #next: Promise<boolean> | null = null
  /** Whether the last attempt failed since another process reads the log. */
  #isBlocked = false
  #logBytesMax = logBytesMax
  /** Pages that may have a gap to clear. */
  readonly #changed = new Set<number>()

  constructor(deps: ScrubberDeps) {
    this.#deps = deps
  }

  /**
   * Overwrites what removed rows have left in pages, writes the log back to the file, and empties it. While another process reads the log, it is tried
   * again within a second; the next call after that tries once.
   * @returns whether the log is empty
   */
  async run(): Promise<boolean> {
    if (await this.#attempt()) return true
    for (const delayMs of this.#isBlocked ? [] : retryDelaysMs) {
      await pause(delayMs)
      if (await this.#attempt()) return true
    }
    this.#isBlocked = true
    return false
  }

  /** The same within a write, if the log has become long. */
  async runIfLong(): Promise<void> {
    const { log } = this.#deps
    if (!log || (await log.size()) < this.#logBytesMax) return
    const isEmpty = await this.#scrub()
    // While another process reads the log, not each write is to try.
    this.#logBytesMax = isEmpty ? logBytesMax : 2 * (await log.size())
  }

  #attempt(): Promise<boolean> {
    this.#next ??= this.#deps.writer.run(() => {
      this.#next = null
      return this.#scrub()
    })
    return this.#next
  }

  async #scrub(): Promise<boolean> {
    const { queries, log, replaceConnections } = this.#deps
    for (const number of (await log?.newPages()) ?? []) this.#changed.add(number)
    try {
      await this.#clearGaps([...this.#changed])
      this.#changed.clear()
    } catch (error) {
      if (!isBusy(error)) throw error
      replaceConnections()
      return false
    }
    const [result] = await queries.all<{ busy: number }>(sql`pragma wal_checkpoint(truncate)`)
    const isEmpty = result?.busy === 0
    if (isEmpty) this.#isBlocked = false
    return isEmpty
  }

  async #clearGaps(numbers: readonly number[]): Promise<void> {
    // The first page holds the schema alone, behind a header of the file.
    const others = numbers.filter((number) => number > 1)
    if (others.length === 0) return
    const step = loopTurns()
    await this.#deps.queries.transaction(async (inner) => {
      const [counted] = await inner.all<{ page_count: number }>(sql`pragma page_count`)
      if (counted!.page_count > tellablePagesMax) return
      for (let at = 0; at < others.length; at += pagesAtOnce) {
        await step()
        const some = others.slice(at, at + pagesAtOnce)
        const pages = await inner.all<Page>(
          sql`select pgno, data from ${dbpage} where ${inArray(sql`pgno`, some)}`,
        )
        for (const { pgno, data } of pages) {
          const bytes = new Uint8Array(data)
          if (clearGap(bytes)) await inner.run(sql`update ${dbpage} set data = ${bytes} where pgno = ${pgno}`)
        }
      }
    })
  }
}
