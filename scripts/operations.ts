/** The operations of the service, for the generated reference and for the types of the client. */
import { createApp } from '../src/app.ts'
import type { Services } from '../src/compose/services.ts'
import { describedRoutes } from '../src/http/api-document.ts'
import type { RouteDescription } from '../src/http/describe-endpoint.ts'
import { acceptedTypes } from '../src/media/accepted-media.ts'
import { clipFormats } from '../src/media/video/formats/registry.ts'
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

/** An app to be described, with all routes or with those that keep nothing. Building them uses of the platform what files it reads. */
export function describedApp(kind: 'whole' | 'stateless' = 'whole'): ReturnType<typeof createApp> {
  const platform = { acceptedTypes: acceptedTypes(clipFormats, []) } as unknown as Platform
  return createApp(platform, readSettings({}), (kind === 'whole' ? { persistent: {} } : {}) as Services)
}

/** Lists all routes of the whole service. */
export function listOperations(): Operation[] {
  return [...describedRoutes(describedApp())].map(({ method, path, route: { tag, summary, answers } }) => ({
    path,
    summary,
    tag,
    answers,
    method: method.toUpperCase(),
  }))
}
