/** What `deploy/image-steps.sh build` refuses and leaves, in a checkout of nothing else. Whole builds: test/http/image.test.ts. */
import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const script = path.resolve(import.meta.dirname, '../../../deploy/image-steps.sh')
let folder: string
const at = (...names: string[]) => path.join(folder, ...names)

/** Exit code and standard error. */
const build = (target: string, environment: Record<string, string> = {}) =>
  new Promise<[code: unknown, errors: string]>((resolve) => {
    const options = { env: { ...process.env, ...environment } }
    execFile(at('work/checkout/deploy/image-steps.sh'), ['build', target], options, (error, _, errors) =>
      resolve([error?.code ?? 0, errors]),
    )
  })

const addFile = async (file: string) => {
  await mkdir(path.dirname(at(file)), { recursive: true })
  await writeFile(at(file), 'content')
}

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'vivace-steps-'))
  await mkdir(at('work/checkout/deploy'), { recursive: true })
  await copyFile(script, at('work/checkout/deploy/image-steps.sh'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('deploy/image-steps.sh build', () => {
  it('refuses a folder in the checkout or around it, and removes nothing', async () => {
    for (const name of ['wasm/kernel.ts', 'drizzle/0001.sql', 'out/dist/mine'])
      await addFile(`work/checkout/${name}`)
    await addFile('work/dist/mine')
    await symlink(at('work/checkout'), at('link'))
    const before = await readdir(folder, { recursive: true })
    for (const target of [at('work/checkout'), '.', '..', 'out', at('link'), at('link/out'), folder])
      expect(await build(target), target).toEqual([
        64,
        expect.stringContaining('TARGET must be outside the checkout'),
      ])
    expect(await readdir(folder, { recursive: true })).toEqual(before)
  })

  it('leaves the earlier build if it fails', async () => {
    await addFile('app/dist/node/server.mjs')
    await addFile('app/drizzle/0001.sql')
    // This checkout has no scripts: nothing can be bundled.
    const [code, errors] = await build(at('app'))
    expect([code, errors]).toEqual([1, expect.stringContaining('run.mjs')])
    expect(await readdir(at('app/dist/node'))).toEqual(['server.mjs'])
    expect(await readdir(at('app/drizzle'))).toEqual(['0001.sql'])
  })

  it('fails without the networks of a profile, and makes no image of low assurance that nobody asked for', async () => {
    await addFile('work/checkout/dist/node/server.mjs')
    // Bundles, and has the networks of "embedded" alone, unless there is a mirror.
    await mkdir(at('work/checkout/scripts'), { recursive: true })
    await writeFile(
      at('work/checkout/scripts/run.mjs'),
      `const { MODEL_PROFILE, MODELS_DIR, MODELS_MIRROR } = process.env
      if (process.argv[2] === '--bundle') process.exit(0)
      if (MODEL_PROFILE === 'standard' && !MODELS_MIRROR) process.exit(1)
      const { mkdirSync } = await import('node:fs')
      mkdirSync(MODELS_DIR, { recursive: true })`,
    )
    const none = { PROFILES: '', MODELS_MIRROR: '' }
    expect(await build(at('app'), none)).toEqual([
      1,
      expect.stringMatching(/profile standard cannot be built: set MODELS_MIRROR, or PROFILES=embedded/),
    ])
    expect(await readdir(at('app', 'models', 'built'))).not.toContain('profile.json')
    for (const [environment, profile] of [
      [{ ...none, PROFILES: 'embedded' }, 'embedded'],
      [{ ...none, MODELS_MIRROR: 'mirror' }, 'standard'],
    ] as const) {
      // This checkout has no more than that.
      await build(at('app'), environment)
      const record = await readFile(at('app', 'models', 'built', 'profile.json'), 'utf8')
      expect(JSON.parse(record)).toEqual({ profile })
    }
  })
})
