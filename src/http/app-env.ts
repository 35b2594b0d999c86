import type { Platform } from '../platform/platform.ts'
import type { Settings } from '../settings.ts'

/** What every door is built with. */
export interface Deps {
  platform: Platform
  settings: Settings
}

/** Values that belong to one request. */
export interface AppEnv {
  Variables: {
    requestId: string
    /** Milliseconds by stage, summed over the media of the request, for `Server-Timing`. */
    stageMs: Record<string, number>
  }
}
