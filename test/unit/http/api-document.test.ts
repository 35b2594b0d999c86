import { describe, expect, it } from 'vitest'
import { describedApp } from '../../../scripts/operations.ts'
import { describedRoutes } from '../../../src/http/api-document.ts'

/** Pages and what they load are for browsers, and the reference does not describe itself. */
const isPage = (path: string): boolean =>
  ['/', '/capture', '/console', '/docs', '/guide', '/openapi.json'].includes(path) ||
  /^\/(client|guide|pages)\//.test(path)

describe('the API reference', () => {
  it('describes every route', () => {
    const app = describedApp()
    const described = new Set(
      [...describedRoutes(app)].map(({ method, path }) => `${method.toUpperCase()} ${path}`),
    )
    const routes = app.routes
      .filter(({ method, path }) => method !== 'ALL' && !isPage(path))
      .map(({ method, path }) => `${method} ${path.replace(/\/$/, '').replaceAll(/:(\w+)/g, '{$1}')}`)
    expect([...new Set(routes)].filter((route) => !described.has(route))).toEqual([])
    expect(described.size).toBeGreaterThan(100)
  })
})
