/** The package as `npm pack` makes it and others install it. */
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { portrait } from '../../fixtures/portraits.ts'

const run = promisify(execFile)
const root = path.resolve(import.meta.dirname, '..', '..', '..')

const program = `import { ApiError, call, createClient, type Folder } from 'vivace/client'
const client = createClient({ url: 'http://127.0.0.1:9', retry: { attempts: 0 } })
export const read = (folder: string): Promise<Folder> => call(client, 'GET /api/folders/{folder}', { path: { folder } })
// @ts-expect-error the path has a part
void (() => call(client, 'GET /api/folders/{folder}', {}))
// @ts-expect-error there is no such type of analysis
void (() => call(client, 'POST /api/folders', { payload: { analyses: [{ type: 'mood' }] } }))
const error = await read('x').catch((thrown: unknown) => thrown)
console.log(error instanceof ApiError, (error as Error).name)
`

/** Runs a program of Node to its end; the status is `null` if it did not start. */
const exitOf = (args: string[], cwd: string) =>
  new Promise<{ status: unknown; output: string }>((resolve) =>
    execFile(process.execPath, args, { cwd }, (error, stdout, stderr) =>
      resolve({ status: error ? (error.code ?? null) : 0, output: stdout + stderr }),
    ),
  )

describe('the package that is built', () => {
  let folder: string
  let installed: string

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'consumer-'))
    installed = path.join(folder, 'node_modules', 'vivace')
    await mkdir(installed, { recursive: true })
    await run('npm', ['pack', '--offline', '--pack-destination', folder], { cwd: root })
    const [archive] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'))
    await run('tar', ['-xzf', path.join(folder, archive!), '-C', installed, '--strip-components=1'])
    await writeFile(path.join(folder, 'package.json'), '{"type": "module"}')
    await writeFile(path.join(folder, 'program.ts'), program)
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('holds client, command, licences and no sources of the project', async () => {
    const parts = [
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'dist',
      'docs',
      'drizzle',
      'models',
      'package.json',
    ]
    expect((await readdir(installed)).sort()).toEqual([...parts, 'scripts', 'wasm'])
    expect(await readdir(path.join(installed, 'scripts'))).toEqual(['node-version.mjs', 'vivace.mjs'])
    expect((await readdir(path.join(installed, 'dist'))).sort()).toEqual(['browser', 'client', 'node'])
    const starts = ['server-program.mjs', 'server.mjs', 'vivace-program.mjs', 'vivace.mjs']
    const programs = ['assess-worker.mjs', 'pdf-worker.mjs', ...starts]
    expect((await readdir(path.join(installed, 'dist/node'))).sort()).toEqual(programs)
    const { exports } = JSON.parse(await readFile(path.join(installed, 'package.json'), 'utf8'))
    for (const file of Object.values<string>(exports['./client']))
      expect((await readFile(path.join(installed, file))).length, file).toBeGreaterThan(0)
  })

  it('runs its command without the project', async () => {
    const { dependencies } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'))
    for (const name of Object.keys(dependencies)) {
      await mkdir(path.dirname(path.join(folder, 'node_modules', name)), { recursive: true })
      await symlink(path.join(root, 'node_modules', name), path.join(folder, 'node_modules', name))
    }
    const selfie = path.join(folder, 'selfie.jpg')
    await writeFile(selfie, await portrait('redhead'))
    const command = path.join(installed, 'scripts/vivace.mjs')
    const { status, output } = await exitOf([command, 'check', selfie], folder)
    expect([status, output]).toEqual([0, expect.stringMatching(/^liveness: passed .*\npassed\n$/)])
  })

  it('is a package of its own, which depends on nothing', async () => {
    const own = path.join(installed, 'dist', 'client')
    const { name, exports, dependencies } = JSON.parse(await readFile(path.join(own, 'package.json'), 'utf8'))
    expect([name, dependencies]).toEqual(['vivace-client', undefined])
    for (const file of Object.values<string>(exports['.']))
      expect((await readFile(path.join(own, file))).length, file).toBeGreaterThan(0)
    const alone = path.join(folder, 'node_modules', name)
    await cp(own, alone, { recursive: true })
    const code = `const { createClient } = await import('${name}'); console.log(typeof createClient)`
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code], { cwd: folder })
    expect(stdout.trim()).toBe('function')
  })

  it('has types that refuse wrong calls', async () => {
    const options = [
      '--noEmit',
      '--strict',
      '--target',
      'es2022',
      '--module',
      'nodenext',
      '--lib',
      'es2022,dom',
      '--types',
      '',
    ]
    const compiler = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    const { status, output } = await exitOf([compiler, ...options, 'program.ts'], folder)
    expect([status, output]).toEqual([0, ''])
  })

  it('runs without the rest of the project', async () => {
    const code =
      "const { createClient, call } = await import('vivace/client'); console.log((await call(createClient({ url: 'http://127.0.0.1:9', retry: { attempts: 0 } }), 'GET /api/version').catch((error) => error)).name)"
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code], { cwd: folder })
    expect(stdout.trim()).toBe('NetworkError')
  })
})
