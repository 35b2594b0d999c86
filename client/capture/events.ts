/** What pages hear from `<vivace-capture>`. */
import type { Folder } from '../answers.ts'
import type { Progress } from '../transport.ts'
import type { CaptureSession } from './capture-session.ts'
import type { Capture } from './describe-capture.ts'
import type { Verdict } from './view.ts'

/** Where a capture is after an error. */
export interface Whereabouts {
  /** Whether it can be sent, or looked for, again. */
  isKept: boolean
  /** The folder that has it. */
  folderId: string | null
}

/** `detail` of the events, by their names. */
export interface CaptureDetails {
  capture: Capture & { session: CaptureSession | null }
  progress: Progress
  result: { folder: Folder; verdict: Verdict; isSealed: boolean }
  restart: object
  error: Whereabouts & { code: string; message: string; error: unknown }
}
