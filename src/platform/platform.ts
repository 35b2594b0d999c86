import type { Assessor } from '../assess/assessor.ts'
import type { Cohort } from '../decide/cohort.ts'
import type { PinnedPost, PostAnswer } from '../events/deliver.ts'
import type { GallerySnapshots } from '../gallery/source.ts'
import type { ScryptFor } from '../identity/passwords.ts'
import type { ModelEntry, Profile, ProfileName } from '../inference/manifest.ts'
import type { BlobStore } from '../storage/blobs/blob-store.ts'
import type { Database } from '../storage/database.ts'
import type { Log } from './log.ts'

/** The networks that answer here. */
export interface RunningModels {
  profileName: ProfileName
  profile: Profile
  entries: readonly ModelEntry[]
  cohort: Cohort
}

/** What the stateful service stands on; absent where nothing is kept. */
export interface Persistence {
  database: Database
  blobs: BlobStore
  scryptFor: ScryptFor
  /** Where search indices are kept for a fast start. */
  snapshots: GallerySnapshots
  /** IP addresses of a host name; takes a few seconds at most. */
  resolveHost(name: string): Promise<string[]>
  /** Posts a webhook to addresses that were checked. */
  post(request: PinnedPost): Promise<PostAnswer>
}

export interface GeneratedPassword {
  email: string
  password: string
}

/** Everything that differs between runtimes. Nothing above this interface knows where it runs. */
export interface Platform {
  runtime: 'node' | 'bun' | 'deno' | 'workers'
  models: RunningModels
  /** The kernel of 1:N search. */
  searchKernel: WebAssembly.Module
  assessor: Assessor
  /** Memory that there is for all of the process, in bytes. */
  memoryBytes: number
  log: Log
  persistence: Persistence | null
  /** Where Instant calls save their artifacts; `null` where they do not. */
  artifacts: BlobStore | null
  /**
   * Hands a password that was made up to whoever starts the service, once, and to no log.
   * @throws {AppError} `value_invalid` when nobody would get it
   */
  handOver(password: GeneratedPassword): Promise<void>
  /** Reads a text file that a setting names. */
  readText(file: string): Promise<string>
  /** Milliseconds since 1970. */
  nowMs(): number
  /** Milliseconds of a clock that only runs forward. */
  monotonicMs(): number
  /** A new UUID. */
  randomId(): string
}
