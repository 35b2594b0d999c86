import type { Services } from '../compose/services.ts'
import type { Authority } from '../identity/authority.ts'
import type { Platform } from '../platform/platform.ts'
import type { Settings } from '../settings.ts'
import type { IncomingBody } from './body.ts'

/** What every door is built with. */
export interface Deps {
  platform: Platform
  settings: Settings
  services: Services
}

/** Values that belong to one request. */
export interface AppEnv {
  Bindings: {
    /** Network address of the connection's other end; absent where the runtime does not tell. */
    clientAddress?: string
  }
  Variables: {
    requestId: string
    /** Milliseconds by stage, summed over the media of the request, for `Server-Timing`. */
    stageMs: Record<string, number>
    /** The body, if it is to be read. */
    incoming: IncomingBody
    /** Who calls; set behind `requireToken`. */
    authority: Authority
  }
}
