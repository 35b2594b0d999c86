/** What waits for a person. */
import type { WaitingResult } from '../decide/folder-result.ts'

/** A folder whose analyses have no decision. */
export interface QueueEntry {
  folderId: string
  companyId: string | null
  /** When the oldest of these analyses was requested; `null` if none waits. */
  sinceMs: number | null
  waiting: Readonly<Record<WaitingResult, number>>
  /** The operator who looks at it now; `null` for nobody. */
  viewerId: string | null
  viewedUntilMs: number | null
}

export interface QueuePage {
  items: readonly QueueEntry[]
  /** Folders over all pages. */
  total: number
  /** Analyses over all pages. */
  analyses: number
  oldestMs: number | null
}
