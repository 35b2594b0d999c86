import type { Services } from '../compose/services.ts'
import type { Authority } from '../identity/authority.ts'
import type { Platform } from '../platform/platform.ts'
import type { Settings } from '../settings.ts'
import type { IncomingBody } from './body.ts'

/** Dependencies of all routes. */
export interface Deps {
  platform: Platform
  settings: Settings
  services: Services
}

/** Values that belong to one request. */
export interface AppEnv {
  Bindings: {
    /** Network address of the peer; absent if the runtime does not tell it. */
    clientAddress?: string
  }
  Variables: {
    requestId: string
    /** The error of the answer, for the log: its code on the wire, and the member or parameter that was refused. */
    refusal?: { code: number | string; place: string | null }
    /** Told why an answer broke off after its first byte. */
    answerBroke(cause: unknown): void
    /** Milliseconds by stage, summed over the media of the request, for `Server-Timing`. */
    stageMs: Record<string, number>
    /** The unread body with its limits. */
    incoming: IncomingBody
    /** The caller's rights; set by `requireToken`. */
    authority: Authority
  }
}
