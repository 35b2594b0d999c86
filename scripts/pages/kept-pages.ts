/** The files for browsers, built again when a source has changed. The server reads what was built. */
import { mkdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { storeBrowserFiles } from '../../src/platform/browser-files.ts'
import { browserFilesPath } from '../../src/platform/server-browser-files.ts'
import { writeWhole } from '../../src/platform/whole-file.ts'

/** The project's folder, from the source and from the bundle alike. */
const root = fileURLToPath(new URL('../../', import.meta.url))
const record = 'dist/browser/sources.json'
const builders = [
  ...['build-pages', 'build-guide', 'finder-network'].map((name) => `scripts/pages/${name}.ts`),
  ...['sample-pictures', 'sample-passport', 'drawing', 'letters', 'printed-zones'].map(
    (name) => `scripts/pages/${name}.ts`,
  ),
  // The names of the sample pictures.
  ...['src/records/sandbox.ts', 'src/decide/reasons.ts'],
]

/** What tells one state of a file or folder from another. */
type State = [name: string, size: number, modifiedMs: number]

async function stateOf(name: string): Promise<State> {
  const { size, mtimeMs } = await stat(path.join(root, name))
  // Not all runtimes know fractions of milliseconds.
  return [name, size, Math.floor(mtimeMs)]
}

/** An installation without sources has the build alone. */
const hasSources = (): Promise<boolean> =>
  stat(path.join(root, 'web')).then(
    () => true,
    () => false,
  )

async function isUpToDate(): Promise<boolean> {
  try {
    const states = JSON.parse(await readFile(path.join(root, record), 'utf8')) as State[]
    const now = await Promise.all(states.map(([name]) => stateOf(name)))
    await stat(browserFilesPath)
    return JSON.stringify(now) === JSON.stringify(states)
  } catch {
    return false
  }
}

/** Other processes may be starting too. */
async function keep(file: string, content: unknown): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true })
  await writeWhole(file, JSON.stringify(content))
}

/**
 * Builds the files for browsers if a source has changed since they were built.
 * @throws {Error} if a source has an error, the bundler is not installed, or `dist/browser` cannot be written
 */
export async function keepPages(): Promise<void> {
  if (!(await hasSources()) || (await isUpToDate())) return
  const startMs = Date.now()
  const { buildPages } = await import('./build-pages.ts')
  const { files, sources } = await buildPages(root)
  const states = await Promise.all([...builders, ...sources].map(stateOf))
  await keep(browserFilesPath, storeBrowserFiles(files))
  // A source that changed meanwhile may or may not be in the build.
  const isSteady = states.every(([, , modifiedMs]) => modifiedMs < startMs)
  await keep(path.join(root, record), isSteady ? states : [])
}
