/**
 * Runs a TypeScript file on Node: `node scripts/run.mjs FILE.ts [ARGUMENT...]`.
 *
 * Node before 22.18 does not run TypeScript, so the sources and the worker that assesses media are bundled first, without
 * packages. This takes a tenth of a second. Bun and Deno run the sources directly.
 *
 * Each run also bundles the server. So after `npm run models` another user without write access can start it.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('../', import.meta.url))
// As deep as `src/platform/`, so that paths relative to a module stay valid.
const outFolder = `${root}dist/node`
const serverEntry = 'src/entry/node.ts'

/** @returns the bundles of some files, in memory */
async function bundle(entryPoints) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints,
    outdir: outFolder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    packages: 'external',
    platform: 'node',
    target: 'node20',
    format: 'esm',
    sourcemap: true,
    logLevel: 'error',
    write: false,
  })
  return outputFiles
}

/** Writes a file if its content differs, atomically: another process may be starting too. */
async function keep({ path, contents }) {
  const present = await readFile(path).catch(() => null)
  if (present?.equals(contents)) return
  const draft = `${path}.${process.pid}`
  await mkdir(outFolder, { recursive: true })
  await writeFile(draft, contents)
  await rename(draft, path)
}

function fail(line, code) {
  process.stderr.write(`${line}\n`)
  process.exit(code)
}

const [, , entry, ...rest] = process.argv
if (!entry) fail('usage: node scripts/run.mjs FILE.ts [ARGUMENT...]', 2)
const name = entry === serverEntry ? 'server' : basename(entry, '.ts')
const files = await bundle({
  [name]: entry,
  server: serverEntry,
  'assess-worker': 'src/platform/assess-worker.ts',
})
try {
  await Promise.all(files.map(keep))
} catch (error) {
  fail(
    `dist/node is not up to date and cannot be written (${error.code}): run "npm run models" once as a user who may write there`,
    1,
  )
}
process.setSourceMapsEnabled(true)
const file = `${outFolder}/${name}.mjs`
process.argv = [process.execPath, file, ...rest]
await import(pathToFileURL(file).href)
