/** The operations of the service, for the generated reference and for the types of the client. */
import { createApp } from '../src/app.ts'
import type { Services } from '../src/compose/services.ts'
import { describedRoutes } from '../src/http/api-document.ts'
import type { RouteDescription } from '../src/http/describe-endpoint.ts'
import type { Platform } from '../src/platform/platform.ts'
import { readSettings } from '../src/settings.ts'

export interface Operation {
  tag: string
  method: string
  /** With the names of its parts in braces. */
  path: string
  summary: string
  /** Meaning and form of the answer, by status. */
  answers: RouteDescription['answers']
}

/** Lists all routes of the whole service. Building them does not use the platform. */
export function listOperations(): Operation[] {
  const app = createApp({} as Platform, readSettings({}), { persistent: {} } as Services)
  return [...describedRoutes(app)].map(({ method, path, route: { tag, summary, answers } }) => ({
    path,
    summary,
    tag,
    answers,
    method: method.toUpperCase(),
  }))
}
