import type { Assessor } from '../assess/assessor.ts'
import type { ContainerCrypto } from '../container/container-reader.ts'
import type { Cohort } from '../decide/cohort.ts'
import type { PinnedPost, PostAnswer } from '../events/deliver.ts'
import type { GallerySnapshots } from '../gallery/source.ts'
import type { ScryptFor } from '../identity/passwords.ts'
import type { DocumentNetworks, ModelEntry, Profile, ProfileName } from '../inference/manifest.ts'
import type { ProcessUsage, ServiceMetrics } from '../metrics/service-metrics.ts'
import type { WritePdf } from '../reports/pdf/render-pdf.ts'
import type { BlobStore } from '../storage/blobs/blob-store.ts'
import type { Database } from '../storage/database.ts'
import type { Tracing } from '../tracing/tracing.ts'
import type { BrowserFiles } from './browser-files.ts'
import type { Log } from './log.ts'

/** The networks in use. */
interface RunningModels {
  profileName: ProfileName
  profile: Profile
  /** Those of the profile, and those that read documents. */
  entries: readonly ModelEntry[]
  documents: DocumentNetworks
  cohort: Cohort
}

/** What the persistent service needs of a runtime. */
export interface Persistence {
  database: Database
  blobs: BlobStore
  scryptFor: ScryptFor
  /** Storage for snapshots of search indexes, for a fast start. */
  snapshots: GallerySnapshots
  /** Resolves a host name to IP addresses, within a few seconds. */
  resolveHost(name: string): Promise<string[]>
  /** Sends a webhook to checked addresses only. */
  post(request: PinnedPost): Promise<PostAnswer>
  /** Writes a report as PDF, off the main thread. */
  writePdf: WritePdf
  /** Space on the disk of the data folder; `null` where nothing is kept there, or the runtime does not tell. */
  freeSpace(): Promise<FreeSpace | null>
}

/** Space on the disk of a folder. */
export interface FreeSpace {
  /** What is free for this user. */
  bytes: number
  /** Whether an operator should look. */
  isLow: boolean
  /** Whether writes will soon fail. */
  isScarce: boolean
}

export interface GeneratedPassword {
  email: string
  password: string
}

/** Everything that differs between runtimes. Code above this interface does not know its runtime. */
export interface Platform {
  runtime: 'node' | 'bun' | 'deno' | 'workers'
  models: RunningModels
  /** The kernel of 1:N search. */
  searchKernel: WebAssembly.Module
  assessor: Assessor
  /** The types of files that it reads. */
  acceptedTypes: readonly string[]
  /** Memory available to the process, in bytes. */
  memoryBytes: number
  /** The most of it that search indexes may take, whatever the settings say. */
  searchBytesMax: number
  log: Log
  /** Counters of the running service; `null` unless the settings ask for them. */
  metrics: ServiceMetrics | null
  /** Spans of the running service; `null` unless the settings ask for them. */
  tracing: Tracing | null
  /** Reads the resources of the process; `null` if the runtime does not tell them. */
  usage: (() => ProcessUsage) | null
  /**
   * When the rest of a refused body is read and dropped: beside the answer; before it, if the connection ends with it; or by the runtime
   * itself, whatever we do.
   */
  restOfBody: 'beside_answer' | 'before_last_answer' | 'by_runtime'
  persistence: Persistence | null
  /**
   * Asks the runtime to call `Services.drain` soon, where background work belongs to one call; `null` where the services run
   * it by themselves.
   */
  runSoon: (() => void) | null
  /** Lets work that never rejects go on after the answer. */
  defer(work: Promise<unknown>): void
  /** Storage for the artifacts of Instant calls; `null` if they are not saved. */
  artifacts: BlobStore | null
  /**
   * Shows a generated password once to the operator who starts the service, without logging it.
   * @throws {AppError} `value_invalid` if it cannot be shown
   */
  deliverPassword(password: GeneratedPassword): Promise<void>
  /**
   * The pages and scripts for browsers, held in memory.
   * @throws {Error} if they have not been built
   */
  browserFiles(): Promise<BrowserFiles>
  containerCrypto: ContainerCrypto
  /** Reads a text file that a setting names. */
  readText(file: string): Promise<string>
  /** Milliseconds since 1970. */
  nowMs(): number
  /** Milliseconds of a monotonic clock. */
  monotonicMs(): number
  /** A new UUID. */
  randomId(): string
}
