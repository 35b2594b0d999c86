/**
 * Runs a TypeScript file on Node: `node scripts/run.mjs FILE.ts [ARGUMENT...]`.
 *
 * Node below 22.18 reads no TypeScript, so our own sources are bundled first (packages stay where they are installed),
 * together with the worker that assesses media. Takes a tenth of a second. Bun and Deno run the sources as they are.
 */
import { basename } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('../', import.meta.url))
// As deep as `src/platform/`, so that addresses relative to a module lead to the same places.
const outFolder = `${root}dist/node`

const [, , entry, ...rest] = process.argv
if (!entry) {
  process.stderr.write('usage: node scripts/run.mjs FILE.ts [ARGUMENT...]\n')
  process.exit(2)
}
const name = entry.startsWith('src/entry/') ? 'server' : basename(entry, '.ts')
await build({
  absWorkingDir: root,
  entryPoints: { [name]: entry, 'assess-worker': 'src/platform/assess-worker.ts' },
  outdir: outFolder,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  packages: 'external',
  platform: 'node',
  target: 'node20',
  format: 'esm',
  sourcemap: true,
  logLevel: 'error',
})
process.setSourceMapsEnabled(true)
const file = `${outFolder}/${name}.mjs`
process.argv = [process.execPath, file, ...rest]
await import(pathToFileURL(file).href)
