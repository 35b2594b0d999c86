/**
 * Runs a TypeScript file on Node: `node scripts/run.mjs FILE.ts [ARGUMENT...]`.
 *
 * Node before 22.18 does not run TypeScript, so the sources and the workers are bundled first, with the
 * packages that the server needs at each start. This takes a few tenths of a second, and is skipped while no source has changed. Bun and Deno run the sources directly.
 *
 * `node scripts/run.mjs --bundle` writes the bundles that an installation without sources starts from.
 *
 * Each bundling includes the server. So after `npm run models` another user without write access can start it.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import './node-version.mjs'

const root = fileURLToPath(new URL('../', import.meta.url))
// As deep as `src/platform/`, so that paths relative to a module stay valid.
const outFolder = `${root}dist/node`
const serverEntry = 'src/entry/node.ts'
/** Packages of plain JavaScript. Reading their many files one by one would take a tenth of a second or two at each start. */
const bundledPackages = [
  ...['@hono/node-server', '@noble/hashes', '@opentelemetry/api', '@valibot/to-json-schema', 'aws4fetch'],
  ...['@orama/stemmers', '@orama/stopwords'],
  ...[
    'client-zip',
    'drizzle-orm',
    'fflate',
    'hono',
    'ipaddr.js',
    'jose',
    'leven',
    'marked',
    'minisearch',
    'valibot',
  ],
]

/** What tells one state of a file from another; `null` if it does not exist. */
async function stateOf(file) {
  const facts = await stat(`${root}${file}`).catch(() => null)
  return facts && [file, facts.size, facts.mtimeMs]
}

/** The installed release of a package; `null` if it is not installed. */
async function releaseOf(name) {
  const description = await readFile(`${root}node_modules/${name}/package.json`, 'utf8').catch(() => null)
  return description && JSON.parse(description).version
}

/** @returns whether the bundles exist, and were made of the sources and the packages as they are now. A bundle needs no longer what it includes: a package may be gone. */
async function isUpToDate(record) {
  try {
    const { states, releases } = JSON.parse(await readFile(record, 'utf8'))
    const now = await Promise.all(states.map(([file]) => stateOf(file)))
    const installed = await Promise.all(
      releases.map(async ([name, release]) => [name, (await releaseOf(name)) ?? release]),
    )
    return JSON.stringify([now, installed]) === JSON.stringify([states, releases])
  } catch {
    return false
  }
}

async function loadBundler() {
  try {
    return await import('esbuild')
  } catch {
    fail(
      'The sources must be bundled, and the bundler is not installed: run "npm ci", or start a prebuilt bundle with "node dist/node/server.mjs"',
      1,
    )
  }
}

const packageOf = (path) => path.split('/', path.startsWith('@') ? 2 : 1).join('/')

const leaveOtherPackages = {
  name: 'leave-other-packages',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' || bundledPackages.includes(packageOf(path))
        ? undefined
        : { path, external: true },
    )
  },
}

/** @returns the bundles of some files, in memory, the paths of the sources and of the bundles from the project's folder, and the packages inside */
async function bundle(entryPoints) {
  const { build } = await loadBundler()
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints,
    outdir: outFolder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    plugins: [leaveOtherPackages],
    platform: 'node',
    target: 'node20',
    format: 'esm',
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'error',
    write: false,
    metafile: true,
  })
  const inputs = Object.keys(metafile.inputs)
  const sources = inputs.filter((file) => !file.includes('node_modules/'))
  const packages = inputs
    .filter((file) => !sources.includes(file))
    .map((file) => packageOf(file.split('node_modules/').at(-1)))
  return { outputFiles, sources, bundles: Object.keys(metafile.outputs), packages: [...new Set(packages)] }
}

/** Writes a file if its content differs, atomically: another process may be starting too. */
async function keep({ path, contents }) {
  const present = await readFile(path).catch(() => null)
  if (present?.equals(contents)) return
  // Processes in several containers may have the same number.
  const draft = `${path}.${randomUUID()}`
  await mkdir(outFolder, { recursive: true })
  await writeFile(draft, contents)
  await rename(draft, path)
}

function fail(line, code) {
  process.stderr.write(`${line}\n`)
  process.exit(code)
}

const parentPollMs = 250

/**
 * npm starts a shell, which starts this process. Some shells end on a signal to npm without passing it on: then this process ends
 * as if it had got the signal.
 */
function endWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, parentPollMs)
  timer.unref()
}

endWithNpm()
const [, , entry, ...rest] = process.argv
if (!entry) fail('usage: node scripts/run.mjs FILE.ts [ARGUMENT...] | --bundle', 2)
// With its folders: `tools/bench/main.ts` is not `tools/soak/main.ts`.
const name = entry === serverEntry ? 'server-program' : entry.replace(/\.ts$/, '').replaceAll(/[^\w-]+/g, '-')
const recordOf = (bundled) => `${outFolder}/${bundled}.sources.json`
const record = recordOf(name)
const entryPoints = {
  [name]: entry,
  'server-program': serverEntry,
  'assess-worker': 'src/platform/assess-worker.ts',
  'pdf-worker': 'src/platform/pdf-worker.ts',
  'kept-pages': 'scripts/pages/kept-pages.ts',
}

/** A program that checks the release of Node before this reads the rest. */
async function startOf(program) {
  const check = await readFile(`${root}scripts/node-version.mjs`, 'utf8')
  return {
    path: `${outFolder}/${program}.mjs`,
    contents: Buffer.from(`${check}await import('./${program}-program.mjs')\n`),
  }
}

/** Writes the bundles of the server and of the command line, for a machine without sources and bundler. */
async function bundleForInstallation() {
  const workers = { 'assess-worker': entryPoints['assess-worker'], 'pdf-worker': entryPoints['pdf-worker'] }
  const programs = {
    'server-program': serverEntry,
    'vivace-program': 'scripts/vivace.ts',
    health: 'scripts/health.ts',
  }
  const { outputFiles } = await bundle({ ...programs, ...workers })
  const starts = await Promise.all(['server', 'vivace'].map(startOf))
  await Promise.all([...outputFiles, ...starts].map(keep))
}

/** Writes the bundles, and a record of what they were made of unless a source changed meanwhile. */
async function bundleAnew() {
  const startMs = Date.now()
  const { outputFiles, sources, bundles, packages } = await bundle(entryPoints)
  try {
    await Promise.all([...outputFiles, await startOf('server')].map(keep))
  } catch (error) {
    fail(
      `dist/node is not up to date and cannot be written (${error.code}): run "npm run models" once as a user who may write there`,
      1,
    )
  }
  const states = await Promise.all([...sources, 'scripts/run.mjs', ...bundles].map(stateOf))
  const isSteady = states.every((state) => state && (bundles.includes(state[0]) || state[2] < startMs))
  if (!isSteady) return
  const releases = await Promise.all(packages.map(async (name) => [name, await releaseOf(name)]))
  const contents = Buffer.from(JSON.stringify({ states, releases }))
  // A user without write access bundles at each start, as long as the bundles that are there are right.
  for (const path of new Set([record, recordOf('server-program')]))
    await keep({ path, contents }).catch(() => {})
}

/** A server whose pages cannot be built serves its callers all the same. */
async function keepPages() {
  try {
    await (await import(pathToFileURL(`${outFolder}/kept-pages.mjs`).href)).keepPages()
  } catch (error) {
    process.stderr.write(`The pages cannot be built: ${error.message}\n`)
  }
}

if (entry === '--bundle') {
  await bundleForInstallation()
  process.exit()
}
if (!(await isUpToDate(record))) await bundleAnew()
// Node reads the stack of each connection that breaks: the first one would make the server hold its loop for 75 ms and keep 30 MB.
if (entry !== serverEntry) process.setSourceMapsEnabled(true)
if (entry === serverEntry) await keepPages()
const file = `${outFolder}/${name}.mjs`
process.argv = [process.execPath, file, ...rest]
await import(pathToFileURL(file).href)
