/** `npm run build:client`: writes the client package to `dist/client`: one module that imports nothing, and its types. */
import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { build } from 'esbuild'

const folder = 'dist/client'
await rm(folder, { recursive: true, force: true })
await build({
  entryPoints: ['client/index.ts'],
  outdir: folder,
  bundle: true,
  format: 'esm',
  target: 'es2022',
  logLevel: 'error',
})
await promisify(execFile)(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'client'])
process.stdout.write(`${folder}\n`)
