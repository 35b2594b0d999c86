/** What `npm ci --omit=dev` installs, by the lock file: the server alone. */
import { describe, expect, it } from 'vitest'
import manifest from '../../../models/manifest.json' with { type: 'json' }
import lock from '../../../package-lock.json' with { type: 'json' }

const installed = Object.entries(lock.packages as Record<string, { dev?: boolean; devOptional?: boolean }>)
  .filter(([place, { dev }]) => place !== '' && !dev)
  .map(([place]) => place.replace(/^.*node_modules\//, ''))

const weightPackages = manifest.models.flatMap(({ sources }) =>
  sources.flatMap((source) => ('package' in source ? [source.package] : [])),
)

describe('an installation without development packages', () => {
  it.each(['typescript', 'esbuild', 'vitest', 'wrangler', ...weightPackages])('has no %s', (name) => {
    expect(installed.filter((other) => other === name || other.startsWith(`@${name}/`))).toEqual([])
  })

  it('has what the server imports', () => {
    expect(installed).toEqual(expect.arrayContaining(['hono', 'drizzle-orm', 'valibot']))
  })
})
