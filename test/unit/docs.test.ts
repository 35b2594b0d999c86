import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import manifest from '../../models/manifest.json' with { type: 'json' }
import { scripts } from '../../package.json' with { type: 'json' }
import { docsPages } from '../../scripts/docs-pages.ts'
import { wireErrors } from '../../src/contract/error-table.ts'
import { liteErrors } from '../../src/contract/lite/error-table.ts'
import { failures } from '../../src/decide/analysis.ts'
import { mediaReasons } from '../../src/errors.ts'
import { deliveryFailures } from '../../src/events/deliver.ts'
import { abandonments } from '../../src/records/analysis.ts'
import { variables } from '../../src/setting-variables.ts'

const root = path.resolve(import.meta.dirname, '..', '..')
const pages = await docsPages(root)

const folders = [
  '',
  'docs',
  'models/cards',
  'wasm/gallery',
  'wasm/h264',
  'wasm/jpeg',
  'wasm/picture',
  'wasm/registration',
  'wasm/video',
]
/** Git ignores built files here. */
const builtLater = ['dist', 'models/built', 'wasm/video/built']

async function readDocuments(): Promise<{ file: string; text: string }[]> {
  const listed = folders.map(async (folder) =>
    (await readdir(path.join(root, folder)))
      .filter((name) => name.endsWith('.md'))
      .map((name) => path.posix.join(folder, name)),
  )
  const files = (await Promise.all(listed)).flat()
  return Promise.all(
    files.map(async (file) => ({ file, text: await readFile(path.join(root, file), 'utf8') })),
  )
}

const documents = await readDocuments()

/** Relative links, with their anchors. */
const linksOf = (text: string): string[] =>
  [...text.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, link]) => link!)

const folderOfRepository = /^(?:src|docs|test|scripts|models|wasm|drizzle|\.ci)\//
const sourceFile = /\.(?:ts|mjs|sh|py|md|json)$/

/** Paths of folders and source files in code spans. Patterns such as `src/analyses/<type>/` do not count. */
const pathsOf = (text: string): string[] =>
  [...text.matchAll(/`([^`\n]+)`/g)]
    .flatMap(([, span]) => span!.split(/\s+/))
    .filter((word) => /^[\w.][\w./@-]*\/[\w./@-]*$/.test(word))
    .filter((word) => folderOfRepository.test(word) || sourceFile.test(word))

/** Anchors of a document, as the common Markdown renderers make them of headings. */
const anchorsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )

function leadsSomewhere(from: string, link: string): boolean {
  const [target = '', anchor] = link.split('#')
  const file = target === '' ? from : path.posix.join(path.posix.dirname(from), target)
  if (!existsSync(path.join(root, file))) return false
  const document = documents.find((other) => other.file === file)
  return anchor === undefined || (document !== undefined && anchorsOf(document.text).includes(anchor))
}

const textOf = (name: string): string => documents.find(({ file }) => file === name)!.text

/** Rows of all tables of a document, as their cells. */
const rowsOf = (name: string): string[][] =>
  textOf(name)
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )

describe('the documents', () => {
  it.each(Object.keys(pages))('%s is what `npm run docs` writes', async (name) => {
    expect(await readFile(path.join(root, 'docs', name), 'utf8')).toBe(pages[name])
  })

  it('only generated documents say that `npm run docs` writes them', () => {
    const generated = documents.filter(({ text }) => /^(?:Generated|Written) by `npm run docs`/m.test(text))
    const names = Object.keys(pages).map((name) => `docs/${name}`)
    expect(generated.map(({ file }) => file).sort()).toEqual(names.sort())
  })

  it('documents link to files and headings that exist', () => {
    const broken = documents.flatMap(({ file, text }) =>
      linksOf(text)
        .filter((link) => !leadsSomewhere(file, link))
        .map((link) => `${file}: ${link}`),
    )
    expect(broken).toEqual([])
  })

  it('documents name files of the repository that exist', () => {
    const missing = documents.flatMap(({ file, text }) =>
      pathsOf(text)
        .filter((name) => !builtLater.some((folder) => name.startsWith(folder)))
        .filter((name) => !existsSync(path.join(root, name)))
        .map((name) => `${file}: ${name}`),
    )
    expect(missing).toEqual([])
  })

  it('documents name commands and settings that exist', () => {
    const settings = new Set(Object.values(variables).flatMap(({ name, aliases }) => [name, ...aliases]))
    const unknown = documents.flatMap(({ file, text }) => [
      ...[...text.matchAll(/npm run (?:-s )?([a-z][\w:]*)/g)]
        .filter(([, script]) => !(script! in scripts))
        .map(([command]) => `${file}: ${command}`),
      ...[...text.matchAll(/\b(?:SVC|MODEL|MODELS|ASSESS|BODY|CONNECTIONS|SEARCH)_[A-Z_]*[A-Z]\b/g)]
        .filter(([name]) => !settings.has(name))
        .map(([name]) => `${file}: ${name}`),
    ])
    expect(unknown).toEqual([])
  })

  it('every error has a cause and a remedy', () => {
    const heads = rowsOf('docs/errors.md').map(([head]) => head!)
    const has = (wanted: RegExp) => heads.some((head) => wanted.test(head))
    const wanted = [
      ...Object.values(wireErrors).map(
        ({ status, code }) => `^${status}, (?:\\d+ and )?${code}(?: and \\d+)?$`,
      ),
      ...[...Object.values(failures), ...Object.values(abandonments)].map(({ code }) => `^${code}$`),
      ...Object.values(liteErrors).map(({ code }) => `^${code}$`),
      ...[...deliveryFailures, ...mediaReasons].map((reason) => `\`${reason}\``),
    ]
    expect([...new Set(wanted)].filter((pattern) => !has(new RegExp(pattern)))).toEqual([])
  })

  it('limits are those of the settings that they name', () => {
    const defaults = new Map<string, string>(
      Object.values(variables).map(({ name, defaultValue }) => [name, defaultValue]),
    )
    const wrong = rowsOf('docs/limits.md').flatMap(([what, limit, names]) => {
      const numbers: string[] = limit!.replaceAll(/(?<=\d) (?=\d{3}\b)/g, '').match(/\d+/g) ?? []
      return [...names!.matchAll(/`([A-Z_]+)`/g)]
        .map(([, name]) => defaults.get(name!)!)
        .filter((value) => /^\d+$/.test(value) && !numbers.includes(value))
        .map((value) => `${what}: ${value}`)
    })
    expect(wrong).toEqual([])
  })

  it('documents describe every room of the source', async () => {
    const entries = await readdir(path.join(root, 'src'), { withFileTypes: true })
    const rooms = entries.filter((entry) => entry.isDirectory()).map(({ name }) => `src/${name}/`)
    const named = pathsOf(documents.find(({ file }) => file === 'docs/architecture.md')!.text)
    expect(rooms.filter((room) => !named.includes(room))).toEqual([])
  })

  it('every network and cohort has a card', () => {
    const cards = [...manifest.models, ...manifest.cohorts].map(({ card }) => card)
    expect(cards.filter((card) => !existsSync(path.join(root, 'models', card)))).toEqual([])
  })
})
