/** The files for browsers are built when a source has changed, and not otherwise. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { binary } from '../../fixtures/server.ts'

const project = path.resolve(import.meta.dirname, '../../..')
const sources = [
  'client',
  'deno.json',
  'docs',
  'models/cards',
  'models/manifest.json',
  'package.json',
  'scripts',
  'src',
  'wasm/inference',
  'web',
]
const roots = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'CHANGELOG.md']
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'vivace-pages-'))
  await mkdir(path.join(folder, 'models'))
  for (const name of [...sources, ...roots])
    await cp(path.join(project, name), path.join(folder, name), { recursive: true, preserveTimestamps: true })
  await symlink(path.join(project, 'node_modules'), path.join(folder, 'node_modules'))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

async function build(): Promise<{ builtAt: number; files: Record<string, { body: string }> }> {
  await promisify(execFile)(process.execPath, ['scripts/run.mjs', 'scripts/pages.ts'], { cwd: folder })
  const file = path.join(folder, 'dist/browser/files.json')
  return { builtAt: (await stat(file)).mtimeMs, files: JSON.parse(await readFile(file, 'utf8')) }
}

const deno = binary('deno')

it.skipIf(!existsSync(deno))('Deno builds them in a fresh checkout, as its start does first', async () => {
  const pages = ['task', '--quiet', 'pages']
  await promisify(execFile)(deno, pages, { cwd: folder })
  const file = path.join(folder, 'dist/browser/files.json')
  expect(Object.keys(JSON.parse(await readFile(file, 'utf8')))).toEqual(
    expect.arrayContaining(['try.html', 'docs.html', 'guide/deploy.html']),
  )
  await rm(path.join(folder, 'dist'), { recursive: true })
})

it('builds once, and again after a change', async () => {
  const page = path.join(folder, 'web/try/index.html')
  const text = await readFile(page, 'utf8')
  const aMinuteAgo = Date.now() / 1000 - 60
  const first = await build()
  expect(Object.keys(first.files)).toContain('try.html')
  expect((await build()).builtAt).toBe(first.builtAt)
  await writeFile(page, text.replace('</title>', ' once more</title>'))
  await utimes(page, aMinuteAgo, aMinuteAgo)
  const second = await build()
  expect(Buffer.from(second.files['try.html']!.body, 'base64').toString()).toContain(' once more</title>')
  const kernel = path.join(folder, 'wasm/inference/kernel.wasm')
  await writeFile(kernel, 'another kernel')
  await utimes(kernel, aMinuteAgo, aMinuteAgo)
  const third = await build()
  expect(Buffer.from(third.files['client/vivace-face.wasm']!.body, 'base64').toString()).toBe(
    'another kernel',
  )
  // Without the bundler, what is up to date is left as it is.
  await rm(path.join(folder, 'node_modules'))
  expect((await build()).builtAt).toBe(third.builtAt)
})
