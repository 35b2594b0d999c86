import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import manifest from '../../models/manifest.json' with { type: 'json' }
import { docsPages } from '../../scripts/docs-pages.ts'

const root = path.resolve(import.meta.dirname, '..', '..')
const pages = await docsPages(root)

describe('the documents', () => {
  it.each(Object.keys(pages))('%s is what `npm run docs` writes', async (name) => {
    expect(await readFile(path.join(root, 'docs', name), 'utf8')).toBe(pages[name])
  })

  it('lead nowhere wrong', async () => {
    const folders = ['', 'docs', 'models/cards']
    const broken: string[] = []
    for (const folder of folders) {
      const names = (await readdir(path.join(root, folder))).filter((name) => name.endsWith('.md'))
      for (const name of names) {
        const text = await readFile(path.join(root, folder, name), 'utf8')
        for (const [, target] of text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g))
          if (!existsSync(path.join(root, folder, target!))) broken.push(`${folder}/${name}: ${target}`)
      }
    }
    expect(broken).toEqual([])
  })

  it('have a card for every network and cohort', () => {
    const cards = [...manifest.models, ...manifest.cohorts].map(({ card }) => card)
    expect(cards.filter((card) => !existsSync(path.join(root, 'models', card)))).toEqual([])
  })
})
