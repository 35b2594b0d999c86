/** `docs/api.md`: every endpoint, read off the routes themselves, and who may use them, read off the permission table. */
import { generateSpecs } from 'hono-openapi'
import { createApp } from '../src/app.ts'
import type { Services } from '../src/compose/services.ts'
import { permissions, type Resource } from '../src/identity/permissions.ts'
import { userTypes } from '../src/identity/roles.ts'
import type { Platform } from '../src/platform/platform.ts'
import { readSettings } from '../src/settings.ts'
import { table } from './markdown.ts'

const intro = `# Endpoints

Written by \`npm run docs\` from the routes and from \`src/identity/permissions.ts\`; edit there.

Every path works with and without a slash at its end. Calls carry \`X-Forensic-Access-Token\`, apart from Instant and Lite
where settings open them, \`/api/authorize/auth\`, and the System group. Errors are
\`{"error_code", "error_message", "error_details", "details"}\`; Lite has \`{"code", "message"}\`.`

const notYet = `## Not there yet

| what | answer |
| --- | --- |
| analyses of type documents | 501, code 2 |
| analyses of type collection on Instant, which keeps no persons | 400, code 4 |
| secure containers (\`application/octet-stream\`) | 400, code 14; 13 for an empty body |
| reports, statistics, event sessions | 404, code 10 |`

interface Operation {
  tags?: string[]
  summary?: string
}

/** The routes as they are with everything switched on. Building them asks nothing of the platform. */
async function operations(): Promise<{ tag: string; method: string; path: string; summary: string }[]> {
  const app = createApp({} as Platform, readSettings({}), { persistent: {} } as Services)
  const { paths } = await generateSpecs(app)
  return Object.entries(paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Operation>).map(([method, { tags = [''], summary = '' }]) => ({
      path,
      summary,
      tag: tags[0]!,
      method: method.toUpperCase(),
    })),
  )
}

const grant = (resource: Resource, role: string): string => {
  const grants: Partial<Record<string, string>> = permissions[resource]
  return grants[role] ?? ''
}

/** The text of the page. */
export async function apiPage(): Promise<string> {
  const all = await operations()
  const groups = [...new Set(all.map(({ tag }) => tag))].map((tag) => {
    const rows = all
      .filter((operation) => operation.tag === tag)
      .map(({ method, path, summary }) => [method, `\`${path}\``, summary])
    return `## ${tag}\n\n${table(['method', 'path', 'what it does'], rows)}`
  })
  const rights = (Object.keys(permissions) as Resource[]).map((resource) => [
    resource.replaceAll('_', ' '),
    ...userTypes.map((role) => grant(resource, role)),
  ])
  return `${intro}

${groups.join('\n\n')}

Files are served at \`GET /static/{folder}/{file}\` under the links of the answers, with ranges.

## Who may do what

c create, r read, u update, d delete; on whose objects. A role without the verb gets 403 code 9, an object out of reach
404 code 10.

${table(['', ...userTypes], rights)}

${notYet}
`
}
