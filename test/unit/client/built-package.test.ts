/** The package as `npm pack` makes it and others install it. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { build, transform } from 'esbuild'
import { publint } from 'publint'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readGuideCode } from '../../fixtures/guide-code.ts'
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

const reactPage = `import { createClient } from '@vivace/client'
import type { VivaceCapture } from '@vivace/client/capture'
import { createRef } from 'react'
import { Capture } from './capture.js'
export const right = (
  <Capture ref={createRef<VivaceCapture>()} client={createClient()} metadata={{ transaction_id: 't-1' }} quiet className="x"
    oncapture={({ detail }) => detail.blob.size} onerror={({ detail }) => detail.code.trim()}
    onresult={({ detail }) => detail.folder.folder_id.trim()} />
)
// @ts-expect-error there is no such mode
export const mode = <Capture mode="film" />
// @ts-expect-error a folder has no such member
export const member = <Capture onresult={({ detail }) => detail.folder.mood} />
`

/** Runs a program of Node to its end; the status is `null` if it did not start. */
const exitOf = (args: string[], cwd: string) =>
  new Promise<{ status: unknown; output: string }>((resolve) =>
    execFile(process.execPath, args, { cwd }, (error, stdout, stderr) =>
      resolve({ status: error ? (error.code ?? null) : 0, output: stdout + stderr }),
    ),
  )

const compiler = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc')
const compilerOptions = '--noEmit --strict --target es2022 --lib es2022,dom --jsx react-jsx'.split(' ')

describe('the package that is built', () => {
  let folder: string
  let installed: string

  /** Packs a package and installs it, without what it depends on. @returns the archive */
  async function install(source: string, target: string): Promise<Buffer> {
    const place = ['--offline', '--silent', '--pack-destination', folder]
    const { stdout } = await run('npm', ['pack', ...place], { cwd: source })
    const archive = path.join(folder, stdout.trim().split('\n').at(-1)!)
    await mkdir(target, { recursive: true })
    await run('tar', ['-xzf', archive, '-C', target, '--strip-components=1'])
    return readFile(archive)
  }

  /** Installs packages of the project. */
  async function link(...names: string[]): Promise<void> {
    for (const name of names) {
      await mkdir(path.dirname(path.join(folder, 'node_modules', name)), { recursive: true })
      await symlink(path.join(root, 'node_modules', name), path.join(folder, 'node_modules', name))
    }
  }

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'consumer-'))
    installed = path.join(folder, 'node_modules', 'vivace')
    await install(root, installed)
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
    await link(...Object.keys(dependencies))
    const selfie = path.join(folder, 'selfie.jpg')
    await writeFile(selfie, await portrait('redhead'))
    const command = path.join(installed, 'scripts/vivace.mjs')
    const { status, output } = await exitOf([command, 'check', selfie], folder)
    expect([status, output]).toEqual([0, expect.stringMatching(/^liveness: passed .*\npassed\n$/)])
  })

  it('has types that refuse wrong calls', async () => {
    const options = [...compilerOptions, '--module', 'nodenext', '--types', '']
    const { status, output } = await exitOf([compiler, ...options, 'program.ts'], folder)
    expect([status, output]).toEqual([0, ''])
  })

  it('runs without the rest of the project', async () => {
    const code =
      "const { createClient, call } = await import('vivace/client'); console.log((await call(createClient({ url: 'http://127.0.0.1:9', retry: { attempts: 0 } }), 'GET /api/version').catch((error) => error)).name)"
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code], { cwd: folder })
    expect(stdout.trim()).toBe('NetworkError')
  })
  describe('of the client and the element', () => {
    const name = '@vivace/client'
    let own: string
    let archive: Buffer

    beforeAll(async () => {
      own = path.join(folder, 'node_modules', name)
      archive = await install(path.join(installed, 'dist', 'client'), own)
      await link('react', 'react-dom', 'scheduler', '@types/react')
      await writeFile(path.join(folder, 'capture.tsx'), await readGuideCode('capture.md', 'tsx'))
    })

    it('is ready to be published', async () => {
      const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'))
      const description = JSON.parse(await readFile(path.join(own, 'package.json'), 'utf8'))
      expect(description).toMatchObject({ name, version, license: 'Apache-2.0' })
      expect(description.dependencies).toBeUndefined()
      const tarball = new Uint8Array(archive).buffer
      const { messages } = await publint({ pack: { tarball }, strict: true })
      expect(messages).toEqual([])
      // In a bundle the address of the script says nothing of the server.
      expect(await readFile(path.join(own, 'capture.js'), 'utf8')).not.toContain('import.meta')
      for (const file of ['README.md', 'LICENSE', 'LICENSE.jose.md'])
        expect((await readFile(path.join(own, file))).length, file).toBeGreaterThan(0)
    })

    it('has types wherever modules are imported', async () => {
      const checked = await checkPackage(createPackageFromTarballData(archive))
      if (!checked.types) throw new TypeError('it has no types')
      expect(Object.keys(checked.entrypoints)).toEqual(['.', './capture', './package.json'])
      // The package has modules alone: not those of CommonJS, and no folders that compilers before `exports` look into.
      const others = ['node10', 'node16-cjs']
      const problems = checked.problems.filter(
        (problem) => !('resolutionKind' in problem && others.includes(problem.resolutionKind)),
      )
      expect(problems).toEqual([])
    })

    it('is small, and pages load only what they use', async () => {
      /** Bytes that a page loads: minified and compressed. */
      const sizeOf = async (contents: string): Promise<number> => {
        const options = { bundle: true, minify: true, format: 'esm', write: false } as const
        const { outputFiles } = await build({ ...options, stdin: { contents, resolveDir: folder } })
        return gzipSync(outputFiles[0]!.contents, { level: 9 }).length
      }
      const whole = await sizeOf(`export * from '${name}'`)
      expect(whole).toBeLessThan(12 * 1024)
      expect(await sizeOf(`export { verifyWebhook } from '${name}'`)).toBeLessThan(whole / 2)
      const element = await sizeOf(`import '${name}/capture'`)
      expect(element).toBeGreaterThan(whole)
      expect(element).toBeLessThan(40 * 1024)
      // Both share their code.
      expect(await sizeOf(`export * from '${name}'; import '${name}/capture'`)).toBeLessThan(element + 2048)
    })

    it.each([
      ['nodenext', 'nodenext'],
      ['preserve', 'bundler'],
    ])('has types for React, with modules as in %s', async (module, resolution) => {
      await writeFile(path.join(folder, 'page.tsx'), reactPage)
      const options = [
        ...compilerOptions,
        '--module',
        module,
        '--moduleResolution',
        resolution,
        '--types',
        '',
      ]
      const { status, output } = await exitOf([compiler, ...options, 'page.tsx'], folder)
      expect([status, output]).toEqual([0, ''])
    })

    it('is rendered by servers, which have no elements', async () => {
      const source = await readFile(path.join(folder, 'capture.tsx'), 'utf8')
      const { code } = await transform(source, { loader: 'tsx', jsx: 'automatic' })
      await writeFile(path.join(folder, 'capture.js'), code)
      const render = `import { createElement } from 'react'
        import { renderToString } from 'react-dom/server'
        import { Capture } from './capture.js'
        console.log(renderToString(createElement(Capture, { mode: 'photo', quiet: true, metadata: {}, onresult() {} })))`
      const { status, output } = await exitOf(['--input-type=module', '-e', render], folder)
      expect([status, output]).toEqual([0, '<vivace-capture mode="photo" quiet=""></vivace-capture>\n'])
    })
  })
})
