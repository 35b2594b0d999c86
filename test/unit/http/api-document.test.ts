import { createConfig, lintFromString } from '@redocly/openapi-core'
import { describe, expect, it } from 'vitest'
import { describedApp } from '../../../scripts/operations.ts'
import { describedRoutes, makeApiDocument } from '../../../src/http/api-document.ts'

/** Pages and what they load are for browsers, and the reference does not describe itself. */
const isPage = (path: string): boolean =>
  ['/', '/capture', '/console', '/docs', '/guide', '/openapi.json'].includes(path) ||
  /^\/(client|guide|pages|samples)\//.test(path)

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
  it('names the parts of a form as its example does', () => {
    const { paths } = makeApiDocument(describedApp(), 'https://vivace.test')
    // biome-ignore lint/suspicious/noExplicitAny: a document of any shape
    const operations = Object.values(paths as any).flatMap((path) => Object.values(path as any)) as any[]
    const forms = operations.flatMap(({ requestBody }) => requestBody?.content?.['multipart/form-data'] ?? [])
    const strangers = forms.flatMap(({ schema, example = {} }) => {
      const { 'media:tags': tags, 'media:meta_data': metadata } = example.payload ?? {}
      return Object.keys({ ...tags, ...metadata }).filter((name) => !Object.hasOwn(schema.properties, name))
    })
    expect(strangers).toEqual([])
    expect(forms.length).toBeGreaterThan(10)
  })
  it.each(['whole', 'stateless'] as const)('has no fault that a linter knows: %s', async (kind) => {
    const source = JSON.stringify(makeApiDocument(describedApp(kind), 'https://vivace.test'))
    const config = await createConfig({ extends: ['recommended-strict'] })
    const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config })
    const told = problems.map(
      ({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`,
    )
    expect(told).toEqual([])
  })
})
