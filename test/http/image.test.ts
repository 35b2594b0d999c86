/** The steps of the container image, run without Docker: the result starts on an empty volume. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chooseProfile } from '../../src/inference/manifest.ts'
import { ownKinds } from '../../src/media/video/own/own-kinds.ts'
import { builtModelsFolder, readManifest } from '../../src/platform/server-models.ts'
import { readSettings } from '../../src/settings.ts'
import { type ClipName, hasFfmpeg, makeClip, recipes, wholeFace } from '../fixtures/clips.ts'
import { portrait } from '../fixtures/portraits.ts'
import { testedRuntime } from '../fixtures/server.ts'
import { file, form, postForm, send } from './client.ts'

const run = promisify(execFile)
const root = path.resolve(import.meta.dirname, '..', '..')
const megabytesMax = 100

/** Sizes of all files below a folder, by path. */
async function sizesBelow(folder: string): Promise<Map<string, number>> {
  const names = await readdir(folder, { recursive: true })
  const sizes = names.map(async (name) => {
    const facts = await lstat(path.join(folder, name))
    return [name, facts.isFile() ? facts.size : 0] as const
  })
  return new Map(await Promise.all(sizes))
}

/** Leaves what an earlier build might: the networks, whose building has tests of its own, and files of an older release. */
async function leaveEarlierBuild(app: string): Promise<void> {
  const { entries, documents } = chooseProfile(await readManifest(), 'embedded', 'any')
  for (const folder of ['models/built', 'dist/node', 'drizzle'])
    await mkdir(path.join(app, folder), { recursive: true })
  const built = builtModelsFolder(readSettings(process.env))
  for (const { file } of [...entries, ...documents])
    await copyFile(path.join(built, file), path.join(app, 'models/built', file)).catch(() => {})
  for (const old of ['dist/node/server.mjs', 'dist/node/old.mjs', 'drizzle/old.sql'])
    await writeFile(path.join(app, old), 'old')
}

describe.skipIf(testedRuntime !== 'node')('the image', () => {
  let folder: string
  let app: string
  let sizes: Map<string, number>
  let server: ChildProcess | undefined

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'vivace-image-'))
    app = path.join(folder, 'app')
    const environment: NodeJS.ProcessEnv = { ...process.env, PROFILES: 'embedded' }
    delete environment.MODELS_DIR
    await leaveEarlierBuild(app)
    // As a super-user may have it who keeps files from others.
    const build = ['-c', 'umask 077 && deploy/image-steps.sh build "$0"', app]
    await run('bash', build, { cwd: root, env: environment })
    sizes = await sizesBelow(app)
  })
  afterAll(async () => {
    server?.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  })

  it('holds what a server needs, and neither sources nor tools that build it', () => {
    const total = [...sizes.values()].reduce((sum, size) => sum + size, 0)
    expect(total / 1e6).toBeLessThan(megabytesMax)
    const packages = [
      'esbuild',
      '@esbuild',
      'typescript',
      '@vladmandic',
      'onnxruntime-web',
      'vitest',
      '@types',
    ]
    const unwanted = [...packages, 'faceplugin-face-recognition-js'].map((name) => `node_modules/${name}`)
    for (const name of [...unwanted, 'src', 'scripts', 'test', 'tools', 'web'])
      expect([name, existsSync(path.join(app, name))]).toEqual([name, false])
    const programs = ['server', 'server-program', 'vivace', 'vivace-program', 'health']
    for (const name of [...programs, 'assess-worker', 'pdf-worker'].map((program) => `${program}.mjs`))
      expect(sizes.get(`dist/node/${name}`), name).toBeGreaterThan(100)
    const left = [...sizes.keys()].filter((name) => /\bold\.|^(?:dist\/)?(\w+)\/\1$/.test(name))
    expect(left).toEqual([])
  })

  it('can be read by any user, and written by its owner alone', async () => {
    const { stdout } = await run('find', [
      app,
      '(',
      '!',
      '-perm',
      '-a=r',
      '-o',
      '-perm',
      '/go=w',
      ')',
      '-not',
      '-type',
      'l',
    ])
    expect(stdout).toBe('')
    const { stdout: closed } = await run('find', [app, '-type', 'd', '!', '-perm', '-a=x'])
    expect(closed).toBe('')
  })

  it('has each package that its programs import', async () => {
    const folder = path.join(app, 'dist/node')
    const programs = (await readdir(folder)).map((name) => readFile(path.join(folder, name), 'utf8'))
    const texts = (await Promise.all(programs)).join('\n')
    const imports = [...texts.matchAll(/^import [^;"]*?"([^"./][^"]*)";$|import\("([^"./][^"]*)"\)/gm)]
    const names = new Set(imports.map(([, before, within]) => before ?? within!))
    // The bundler is for development.
    const needed = [...names].filter((name) => !isBuiltin(name) && name !== 'esbuild')
    const packages = needed.map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/'))
    expect(packages).toContain('@libsql/client')
    expect(packages.filter((name) => !existsSync(path.join(app, 'node_modules', name)))).toEqual([])
  })

  /** Starts the application, and waits until it listens. */
  async function start(data: string) {
    await mkdir(data)
    const { PATH = '' } = process.env
    const place = { DATA_DIR: data, PORT: '0', HOST: '127.0.0.1', ASSESS_WORKERS: '1' }
    const environment = { PATH, NODE_ENV: 'production', SVC_AUTHORIZE_DISABLED_STATELESS: 'true', ...place }
    const started = spawn(process.execPath, ['dist/node/server.mjs'], { cwd: app, env: environment })
    server = started
    const ended = new Promise<number | null>((resolve) => started.once('exit', resolve))
    let output = ''
    for (const stream of [started.stdout, started.stderr]) stream.on('data', (chunk) => (output += chunk))
    const address = () => /"event":"listening","address":"([^"]*)"/.exec(output)?.[1] ?? ''
    const state = () => (started.exitCode === null ? address() : `ended: ${output}`)
    await expect.poll(state, { timeout: 60_000 }).toMatch(/^http:|^ended/)
    expect(state()).toMatch(/^http:/)
    const stop = () => {
      started.kill('SIGTERM')
      return ended
    }
    return { url: address(), environment, output: () => output, stop }
  }

  it('has a list of all packages, also of those that are only in its bundles', async () => {
    const { bomFormat, components } = JSON.parse(await readFile(path.join(app, 'sbom.cdx.json'), 'utf8'))
    expect(bomFormat).toBe('CycloneDX')
    type Component = { name: string; group?: string; version: string; hashes?: unknown[] }
    const names = (components as Component[]).map(({ group, name }) => (group ? `${group}/${name}` : name))
    expect(names).toEqual(expect.arrayContaining(['hono', 'drizzle-orm', 'jose', '@jsquash/jpeg']))
    expect(names).not.toContain('vitest')
    expect([...sizes.keys()]).not.toContain('node_modules/hono')
  })

  it('serves from an empty volume, writes to nothing else, and ends on SIGTERM', async ({ annotate }) => {
    const data = path.join(folder, 'data')
    const startMs = performance.now()
    const { url, environment, output, stop } = await start(data)
    const { PATH } = environment
    // Not a limit: the machine may have other work.
    await annotate(`listens after ${((performance.now() - startMs) / 1000).toFixed(1)} s`)
    expect((await send('/readyz', {}, url)).json.status).toBe('ok')
    expect((await send('/', {}, url)).status).toBe(200)
    const photo = form([file('a', await portrait('redhead'))], { analyses: [{ type: 'quality' }] })
    const { json } = await postForm('/api/instant/folders/', photo, {}, url)
    expect(json.analyses[0].resolution_status).toBe('SUCCESS')
    const password = await readFile(path.join(data, 'first-administrator-password'), 'utf8')
    expect(output()).not.toContain(password.trim())
    const health = (port: string) =>
      run(process.execPath, ['dist/node/health.mjs'], { cwd: app, env: { PATH, PORT: port } })
    await health(new URL(url).port)
    expect(await stop()).toBe(0)
    await expect(health(new URL(url).port)).rejects.toThrow()
    expect(await sizesBelow(app)).toEqual(sizes)
    const { stdout } = await run(process.execPath, ['dist/node/vivace.mjs', 'doctor', '--json'], {
      cwd: app,
      env: environment,
    })
    const faults = JSON.parse(stdout).filter(({ state }: { state: string }) => state === 'fail')
    expect(faults).toEqual([])
  })

  it.skipIf(!hasFfmpeg)(
    'reads H.264 and VP8 without another decoder of clips, and refuses other codecs',
    async () => {
      for (const name of ['wasm/video', 'node_modules/@ffmpeg'])
        await rm(path.join(app, name), { recursive: true, force: true })
      const { url, environment, stop } = await start(path.join(folder, 'data of clips'))
      const submit = async (name: ClipName) => {
        const clip = await makeClip({ ...recipes[name], ...wholeFace, seconds: 0.8 })
        const parts = form([file('a', clip)], { analyses: [{ type: 'quality' }] })
        return postForm('/api/instant/folders/', parts, {}, url)
      }
      const { accepted_types } = (await send('/api/config', {}, url)).json
      expect(accepted_types.filter((type: string) => type.startsWith('video/'))).toEqual([
        ...['video/mp4', 'video/quicktime', 'video/3gpp', 'video/webm', 'video/x-matroska'],
      ])
      for (const name of ['h264 mp4', 'vp8 webm'] as const) {
        const { status, json } = await submit(name)
        expect([status, json.media?.[0].media_type]).toEqual([200, 'VIDEO_FOLDER'])
      }
      for (const [name, reason] of [
        ['hevc mp4', 'codec'],
        ['mjpeg avi', 'format'],
      ] as const)
        expect(await submit(name)).toMatchObject({
          status: 400,
          json: { error_code: 5, details: { expected: ownKinds, reason } },
        })
      expect(await stop()).toBe(0)
      const { stdout } = await run(process.execPath, ['dist/node/vivace.mjs', 'doctor', '--json'], {
        cwd: app,
        env: environment,
      })
      expect(JSON.parse(stdout)).toContainEqual(
        expect.objectContaining({ state: 'ok', text: expect.stringContaining(ownKinds) }),
      )
    },
  )
})
