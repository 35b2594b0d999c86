/** What a server counts about itself. No label holds anything that a caller chose. */
import { type Reading, Registry } from './registry.ts'

/** Upper bounds in seconds. */
const requestBounds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const databaseBounds = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]

/** Resources of the process, as far as the runtime tells them. */
export interface ProcessUsage {
  /** Bytes. */
  memory: Readonly<Partial<Record<'rss' | 'heap' | 'external' | 'array_buffers', number>>>
  /** Seconds of all threads since the start. */
  cpuS: number
}

/** Work that waits in the database. */
interface Backlog {
  analyses: number
  webhooks: number
  undeleted_files: number
  /** Of the last round of the clean-up of this replica. */
  failed_removals: number
}

const labelled = (label: string, values: Readonly<Record<string, number | undefined>>): Reading[] =>
  Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [{ labels: { [label]: name }, value }],
  )

/** The instruments of a server. */
export class ServiceMetrics {
  readonly registry = new Registry()
  readonly requests = this.registry.counter(
    'vivace_http_requests_total',
    'Answered requests by method, route pattern, status and error code of the API',
  )
  readonly serverErrors = this.registry.counter(
    'vivace_http_server_errors_total',
    'Answers with a status from 500 on, by status',
  )
  readonly requestSeconds = this.registry.histogram(
    'vivace_http_request_seconds',
    'Seconds from the head of a request to its answer, by route pattern',
    requestBounds,
  )
  readonly media = this.registry.counter(
    'vivace_media_total',
    'Assessed media by outcome: assessed, refused, overloaded, failed',
  )
  readonly mediumSeconds = this.registry.histogram(
    'vivace_medium_seconds',
    'Seconds for one medium, from the queue to its findings',
    requestBounds,
  )
  readonly stageSeconds = this.registry.counter(
    'vivace_stage_seconds_total',
    'Seconds spent in each stage of assessments',
  )
  readonly stageRuns = this.registry.counter('vivace_stage_runs_total', 'How often each stage ran')
  readonly verdicts = this.registry.counter(
    'vivace_analyses_total',
    'Ended analyses by type and verdict; failed ones by error code',
  )
  readonly foldersRemoved = this.registry.counter(
    'vivace_folders_removed_total',
    'Folders that were removed: because of their age, with their company, by a caller; or of which a caller removed the personal data',
  )
  readonly webhooks = this.registry.counter(
    'vivace_webhook_attempts_total',
    'Attempts to deliver a webhook by outcome',
  )
  readonly databaseSeconds = this.registry.histogram(
    'vivace_database_seconds',
    'Seconds for a read or a write transaction, waiting included',
    databaseBounds,
  )
  readonly databaseFailures = this.registry.counter(
    'vivace_database_failures_total',
    'Failed reads and write transactions',
  )
  readonly logLines = this.registry.counter('vivace_log_lines_total', 'Log lines by level and event')

  /** Adds what is known about the running process. */
  describeProcess(
    info: Readonly<Record<string, string>>,
    startMs: number,
    usage: (() => ProcessUsage) | null,
  ): void {
    const { registry } = this
    registry.gauge('vivace_info', 'Release, runtime and networks', () => [{ labels: info, value: 1 }])
    registry.gauge('process_start_time_seconds', 'Start of the process, seconds since 1970', () => [
      { labels: {}, value: startMs / 1000 },
    ])
    if (!usage) return
    registry.gauge('vivace_memory_bytes', 'Memory of the process by kind', () =>
      labelled('kind', usage().memory),
    )
    registry.countedElsewhere('process_cpu_seconds_total', 'CPU time of all threads', () => [
      { labels: {}, value: usage().cpuS },
    ])
  }

  /** Adds the state of the workers and their queue. */
  describeQueue(
    health: () => { ready: number; workers: number; waiting: number; waitingMax: number; replaced: number },
  ): void {
    const { registry } = this
    const one = (value: number): Reading[] => [{ labels: {}, value }]
    registry.gauge('vivace_workers', 'Configured workers', () => one(health().workers))
    registry.gauge('vivace_workers_ready', 'Workers that are idle or busy', () => one(health().ready))
    registry.gauge('vivace_queue_length', 'Media that wait for a worker', () => one(health().waiting))
    registry.gauge('vivace_queue_length_max', 'Media that may wait', () => one(health().waitingMax))
    registry.countedElsewhere('vivace_worker_restarts_total', 'Workers replaced since the start', () =>
      one(health().replaced),
    )
  }

  /** Adds the free space of the disk, unless there is none that can be told. */
  describeDisk(read: () => Promise<number | null>): void {
    let known: number | null = null
    this.registry.beforeWriting(async () => {
      known = await read()
    })
    this.registry.gauge('vivace_disk_free_bytes', 'Free space on the disk of DATA_DIR', () =>
      known === null ? [] : [{ labels: {}, value: known }],
    )
  }

  /** Adds the work that waits in the database. `read` is called for each scrape; if it fails, the gauge is left out. */
  describeBacklog(read: () => Promise<Backlog>): void {
    let known: Partial<Backlog> = {}
    this.registry.beforeWriting(async () => {
      known = await read().catch(() => ({}))
    })
    this.registry.gauge(
      'vivace_backlog',
      'Analyses and webhooks that are stored and not done yet, and files and rows whose removal failed and is tried again',
      () => labelled('kind', known),
    )
  }
}
