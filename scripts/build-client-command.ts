/**
 * `npm run build:client`: writes the client package to `dist/client`: modules that import nothing else, and their types. It has
 * a `package.json` of its own, so that `npm pack ./dist/client` makes a package without the dependencies of the server.
 */
import { execFile } from 'node:child_process'
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { type Command, exitCodes, readOptions, say } from './cli/command.ts'
import { styleText } from './pages/style-text.ts'

const folder = 'dist/client'

/** Writes the modules: the client, the element, and what both share. @param outdir an empty folder */
export const bundleClient = (outdir: string) =>
  build({
    entryPoints: { index: 'client/index.ts', capture: 'client/capture/index.ts' },
    outdir,
    splitting: true,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    // The script of a bundle comes from the page's server, which has no Vivace.
    define: { 'import.meta.url': 'undefined' },
    plugins: [styleText],
    logLevel: 'error',
  })

async function writeClient(): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await bundleClient(folder)
  await promisify(execFile)(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'client'])
  const { version, license, engines } = JSON.parse(await readFile('package.json', 'utf8'))
  const [types, captureTypes] = ['./types/client/index.d.ts', './types/client/capture/index.d.ts']
  const description = {
    name: '@vivace/client',
    version,
    license,
    description:
      'Typed client of Vivace for browsers, Node, Bun, Deno and React Native, and its capture element',
    type: 'module',
    // Bundlers of React Native that ignore `exports`.
    main: './index.js',
    types,
    exports: {
      '.': { types, default: './index.js' },
      './capture': { types: captureTypes, default: './capture.js' },
      './package.json': './package.json',
    },
    sideEffects: ['./capture.js'],
    engines,
    publishConfig: { access: 'public' },
  }
  await writeFile(`${folder}/package.json`, `${JSON.stringify(description, null, 2)}\n`)
  await copyFile('client/README.md', `${folder}/README.md`)
  await copyFile('LICENSE', `${folder}/LICENSE`)
  // Its code is in the bundle.
  await copyFile('node_modules/jose/LICENSE.md', `${folder}/LICENSE.jose.md`)
}

export const buildClientCommand: Command = {
  name: 'build:client',
  summary: 'Write the client package',
  usage: `usage: npm run build:client

Writes the client and the capture element as a package of its own to ${folder}. "npm pack ./${folder}" makes an archive of it.

Exit code: 0 done, 1 it does not build, 64 wrong usage.
`,
  async run(args) {
    readOptions(args, {})
    await writeClient()
    say(folder)
    return exitCodes.done
  },
}
