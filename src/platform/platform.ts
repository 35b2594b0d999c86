import type { Assessor } from '../assess/assessor.ts'
import type { Cohort } from '../decide/cohort.ts'
import type { ModelEntry, Profile, ProfileName } from '../inference/manifest.ts'
import type { Log } from './log.ts'

/** The networks that answer here. */
export interface RunningModels {
  profileName: ProfileName
  profile: Profile
  entries: readonly ModelEntry[]
  cohort: Cohort
}

/** What one call of scrypt costs: N = 2^`costLog2`, `blockSize` r, `parallelism` p. */
export interface ScryptCost {
  costLog2: number
  blockSize: number
  parallelism: number
}

/** Everything that differs between runtimes. Nothing above this interface knows where it runs. */
export interface Platform {
  runtime: 'node' | 'bun' | 'deno' | 'workers'
  models: RunningModels
  assessor: Assessor
  log: Log
  /** Milliseconds since 1970. */
  nowMs(): number
  /** Milliseconds of a clock that only runs forward. */
  monotonicMs(): number
  /** A new UUID. */
  randomId(): string
}
