/** Comments that are being written. The browser keeps them, so that they outlive the session. */
import { keep, listKept, readKept } from '../kept.ts'
import { session } from './session.ts'

const keptMs = 14 * 24 * 3600_000
const prefix = 'vivace-draft:'

interface Draft {
  text: string
  atMs: number
}

/** What a comment is about: a folder, or one analysis of it. */
const subjectOf = (folderId: string, analysisId: string | null): string =>
  analysisId === null ? folderId : `${analysisId}:${folderId}`

/** Of one person. Ends with the folder. */
const keyOf = (folderId: string, analysisId: string | null): string =>
  `${prefix}${session.peek()?.user.user_id}:${subjectOf(folderId, analysisId)}`

function parse(kept: string | null): Draft | null {
  try {
    const draft = JSON.parse(kept ?? 'null') as Draft
    return typeof draft.text === 'string' && Date.now() - draft.atMs < keptMs ? draft : null
  } catch {
    return null
  }
}

export const readDraft = (folderId: string, analysisId: string | null = null): string =>
  parse(readKept('localStorage', keyOf(folderId, analysisId)))?.text ?? ''

export function keepDraft(folderId: string, text: string, analysisId: string | null = null): void {
  const draft: Draft = { text, atMs: Date.now() }
  keep('localStorage', keyOf(folderId, analysisId), text === '' ? null : JSON.stringify(draft))
}

/** Forgets what anybody has begun to write about a folder in this browser. */
export function dropDrafts(folderId: string): void {
  for (const key of listKept('localStorage'))
    if (key.startsWith(prefix) && key.endsWith(`:${folderId}`)) keep('localStorage', key, null)
}

/** Forgets the drafts that nobody has returned to. */
export function dropOldDrafts(): void {
  for (const key of listKept('localStorage'))
    if (key.startsWith(prefix) && parse(readKept('localStorage', key)) === null)
      keep('localStorage', key, null)
}
