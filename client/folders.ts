/** The usual steps with folders. */
import type { Company, EventSession, Folder, Page, User } from './answers.ts'
import { type Client, call, type Query } from './call.ts'
import { TimeoutError } from './errors.ts'
import { pause } from './retry.ts'

export interface WaitOptions {
  /** Gives up after this time; two minutes by default. */
  timeoutMs?: number
  /** First pause between two looks; it grows to `intervalMaxMs`. */
  intervalMs?: number
  intervalMaxMs?: number
  signal?: AbortSignal
  /** Called with what each look finds. */
  onFolder?: (folder: Folder) => void
}

const growth = 1.5

/** Whether the analyses of a folder have ended, or none was started. */
export const isSettled = ({ resolution_status, system_resolution }: Folder): boolean =>
  resolution_status !== 'PROCESSING' && system_resolution !== 'PROCESSING'

/**
 * Reads a folder until its analyses have ended.
 * @throws {TimeoutError} if they take longer than `timeoutMs`; {ApiError} as `call`
 */
export async function waitForFolder(
  client: Client,
  folderId: string,
  options: WaitOptions = {},
): Promise<Folder> {
  const { timeoutMs = 120_000, intervalMs = 1000, intervalMaxMs = 5000, signal, onFolder } = options
  const endMs = Date.now() + timeoutMs
  for (let waitMs = intervalMs; ; waitMs = Math.min(intervalMaxMs, waitMs * growth)) {
    const folder = await call(client, 'GET /api/folders/{folder}', {
      path: { folder: folderId },
      query: { with_analyses: true },
      ...(signal ? { signal } : {}),
    })
    onFolder?.(folder)
    if (isSettled(folder)) return folder
    // Also if a time is NaN.
    if (!(Date.now() + waitMs <= endMs))
      throw new TimeoutError(`the analyses have not ended within ${timeoutMs} ms`)
    await pause(waitMs, signal)
  }
}

/** Lists that are answered in pages, by the type of their items. */
interface Lists {
  'GET /api/folders': Folder
  'GET /api/users': User
  'GET /api/companies': Company
  'GET /api/event_sessions': EventSession
}

const standardPage = 100

/**
 * Reads a list to its end, in pages of `limit` items.
 * @throws {TypeError} if `limit` is no whole number from 1
 * @example
 * ```ts
 * for await (const folder of listAll(client, 'GET /api/folders', { resolution_status: 'FINISHED' })) show(folder)
 * ```
 */
export async function* listAll<O extends keyof Lists>(
  client: Client,
  operation: O,
  { limit = standardPage, ...query }: Omit<Query, 'limit' | 'offset'> & { limit?: number } = {},
): AsyncGenerator<Lists[O]> {
  if (!Number.isInteger(limit) || limit < 1) throw new TypeError('limit must be a whole number from 1')
  // Oldest first: what is added meanwhile comes at the end and moves nothing.
  const filters: Query = { sorting: 'time_created{asc}', total_omit: true, ...query, limit }
  for (let offset = 0; ; offset += limit) {
    const parts = { query: { ...filters, offset } }
    const { items } = (await call<keyof Lists>(client, operation, parts)) as Page<Lists[O]>
    yield* items
    if (items.length < limit) return
  }
}
