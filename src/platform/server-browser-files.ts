/** The files for browsers on Node, Bun and Deno: built at the first start, and again when a source has changed. */
import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildBrowserFiles } from './browser-build.ts'
import { type BrowserFiles, loadBrowserFiles, storeBrowserFiles } from './browser-files.ts'

/** The project's folder, from the source and from the bundle alike. */
const projectFolder = fileURLToPath(new URL('../../', import.meta.url))
const recordFile = 'dist/browser/files.json'
const builder = 'src/platform/browser-build.ts'

/** What tells one state of a file or folder from another. */
type State = [name: string, size: number, modifiedMs: number]

interface StoredBuild {
  states: State[]
  files: Parameters<typeof loadBrowserFiles>[0]
}

async function stateOf(name: string): Promise<State> {
  const { size, mtimeMs } = await stat(path.join(projectFolder, name))
  // Not all runtimes know fractions of milliseconds.
  return [name, size, Math.floor(mtimeMs)]
}

/** Whether this is an installation without sources, which has the build alone. */
const isWithoutSources = (): Promise<boolean> =>
  stat(path.join(projectFolder, 'web')).then(
    () => false,
    () => true,
  )

/** @returns the last build; `null` if there is none or a source has changed since */
async function readBuild(): Promise<BrowserFiles | null> {
  try {
    const text = await readFile(path.join(projectFolder, recordFile), 'utf8')
    const { states, files } = JSON.parse(text) as StoredBuild
    if (await isWithoutSources()) return loadBrowserFiles(files)
    const now = await Promise.all(states.map(([name]) => stateOf(name)))
    return JSON.stringify(now) === JSON.stringify(states) ? loadBrowserFiles(files) : null
  } catch {
    return null
  }
}

/** Keeps a build atomically: other processes may be starting too. */
async function keepBuild(build: StoredBuild): Promise<void> {
  const file = path.join(projectFolder, recordFile)
  const draft = `${file}.${randomUUID()}`
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(draft, JSON.stringify(build))
  await rename(draft, file)
}

/**
 * Reads the files, or builds them. Without write access they are built at each start.
 * @throws {Error} if a source has an error, or the bundler cannot run
 */
export async function openBrowserFiles(): Promise<BrowserFiles> {
  const kept = await readBuild()
  if (kept) return kept
  const startMs = Date.now()
  const { files, sources } = await buildBrowserFiles(projectFolder)
  const states = await Promise.all([builder, ...sources].map(stateOf))
  // A source that changed meanwhile may or may not be in the build.
  if (states.every(([, , modifiedMs]) => modifiedMs < startMs))
    await keepBuild({ states, files: storeBrowserFiles(files) }).catch(() => {})
  return files
}
