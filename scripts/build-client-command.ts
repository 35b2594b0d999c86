/**
 * `npm run build:client`: writes the client package to `dist/client`: one module that imports nothing, and its types. It has
 * a `package.json` of its own, so that `npm pack ./dist/client` makes a package without the dependencies of the server.
 */
import { execFile } from 'node:child_process'
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { type Command, exitCodes, readOptions, say } from './cli/command.ts'

const folder = 'dist/client'

async function writeClient(): Promise<void> {
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
  const { version, license } = JSON.parse(await readFile('package.json', 'utf8'))
  const description = {
    name: 'vivace-client',
    version,
    license,
    description: 'Typed client of Vivace for browsers, Node, Bun, Deno and React Native',
    type: 'module',
    sideEffects: false,
    exports: { '.': { types: './types/client/index.d.ts', default: './index.js' } },
  }
  await writeFile(`${folder}/package.json`, `${JSON.stringify(description, null, 2)}\n`)
  await copyFile('LICENSE', `${folder}/LICENSE`)
}

export const buildClientCommand: Command = {
  name: 'build:client',
  summary: 'Write the client package',
  usage: `usage: npm run build:client

Writes the client as a package of its own to ${folder}: one module and its types. "npm pack ./${folder}" makes an archive of it.

Exit code: 0 done, 1 it does not build, 64 wrong usage.
`,
  async run(args) {
    readOptions(args, {})
    await writeClient()
    say(folder)
    return exitCodes.done
  },
}
