import { stat } from 'node:fs/promises'
import path from 'node:path'
import MiniSearch from 'minisearch'
import { beforeAll, describe, expect, it } from 'vitest'
import manifest from '../../../models/manifest.json' with { type: 'json' }
import { buildGuide, type Guide } from '../../../scripts/pages/build-guide.ts'
import { indexOptions } from '../../../web/guide/search-index.ts'

const root = path.resolve(import.meta.dirname, '..', '..', '..')

describe('the guide', () => {
  let guide: Guide

  beforeAll(async () => {
    guide = await buildGuide(root, '<title>{{title}}</title><nav>{{contents}}</nav><main>{{content}}</main>')
  })

  it('shows every document of the repository that users read', async () => {
    const start = guide.pages.get('guide.html')!
    expect(start).toContain('<title>Guide</title>')
    for (const name of ['quick-start', 'console', 'liveness', 'settings', 'security', 'yunet'])
      expect([...guide.pages.keys()]).toContain(`guide/${name}.html`)
    expect(guide.pages.get('guide/liveness.html')).toContain('<a href="/guide/liveness" aria-current="page">')
  })

  it('has the card of every network', () => {
    const cards = manifest.models.map(({ card }) => `guide/${path.basename(card, '.md')}.html`)
    expect(cards.filter((card) => !guide.pages.has(card))).toEqual([])
  })

  it('leads only to pages and headings that exist', () => {
    const anchors = new Map(
      [...guide.pages].map(([name, html]) => [
        `/${name.replace('.html', '')}`,
        new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)),
      ]),
    )
    const broken = [...guide.pages].flatMap(([name, html]) =>
      [...html.matchAll(/href="(?!https?:|mailto:)([^"]+)"/g)]
        .map(([, href]) => href!)
        .filter((href) => {
          const [page, anchor] = href.split('#')
          const known = anchors.get(page || `/${name.replace('.html', '')}`)
          return !known || (anchor !== undefined && !known.has(anchor))
        })
        .map((href) => `${name}: ${href}`),
    )
    expect(broken).toEqual([])
  })

  it('finds sections by their words', () => {
    const index = MiniSearch.loadJSON(guide.searchIndex, indexOptions)
    expect(index.search('watch list', { prefix: true }).map(({ id }) => id)).toContain(
      '/guide/console#fill-a-watch-list',
    )
  })

  it('depends on the files that it shows', async () => {
    expect(guide.sources).toContain('docs/console.md')
    expect(guide.sources).toContain('docs')
    await Promise.all(guide.sources.map((file) => stat(path.join(root, file))))
  })
})
