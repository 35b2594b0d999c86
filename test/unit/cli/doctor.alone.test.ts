/** What `doctor` says of a damaged installation and of lost data. The rest of it beside a server: test/http/persistent/command-line.test.ts. */
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { doctorCommand } from '../../../scripts/cli/doctor-command.ts'
import type * as freeSpace from '../../../src/platform/free-space.ts'
import { sha256 } from '../../../src/platform/hash.ts'
import { openServerDatabase } from '../../../src/platform/server-database.ts'
import { builtModelsFolder, findModels, openModels } from '../../../src/platform/server-models.ts'
import type * as serverWasm from '../../../src/platform/server-wasm.ts'
import { readSettings } from '../../../src/settings.ts'
import { runHere } from '../../fixtures/command.ts'
import { startIdentityProvider } from '../../fixtures/identity-provider.ts'

/** Bytes that a full disk would have left; `null` for those of this machine. */
let freeBytes: number | null = null
let diskBytes = 100e9

vi.mock('../../../src/platform/free-space.ts', async (importOriginal) => {
  const { judgeSpace, ...rest } = await importOriginal<typeof freeSpace>()
  const readFreeSpace: typeof freeSpace.readFreeSpace = async (folder) =>
    freeBytes === null ? rest.readFreeSpace(folder) : judgeSpace(freeBytes, diskBytes)
  return { ...rest, judgeSpace, readFreeSpace }
})

/** What is wrong with a module of the software. */
let damage: Error | null = null

vi.mock('../../../src/platform/server-wasm.ts', async (importOriginal) => {
  const { checkModules, ...rest } = await importOriginal<typeof serverWasm>()
  const check = () => (damage ? Promise.reject(damage) : checkModules())
  return { ...rest, checkModules: check }
})

interface Finding {
  name: string
  state: string
  text: string
  remedy?: string
}

let folder: string
const at = (...names: string[]) => path.join(folder, ...names)

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'doctor-'))
  return () => rm(folder, { recursive: true, force: true })
})
afterEach(() => {
  freeBytes = null
  diskBytes = 100e9
  damage = null
})

async function examine(
  environment: Record<string, string> = {},
): Promise<{ code: number | null; all: Finding[]; failed: Finding[] }> {
  const { code, output } = await runHere(doctorCommand, ['--json'], {
    DATA_DIR: folder,
    PORT: '0',
    ...environment,
  })
  const all: Finding[] = JSON.parse(output)
  return { code, all, failed: all.filter(({ state }) => state === 'fail') }
}

/** The networks of this machine in a folder of their own, but one. */
async function networksWithout(missing: string): Promise<string> {
  const built = path.resolve(builtModelsFolder(readSettings(process.env)))
  await mkdir(at('models'))
  for (const name of await readdir(built))
    if (name !== missing) await symlink(path.join(built, name), at('models', name))
  return at('models')
}

describe('doctor', () => {
  it('misses a network that reads documents before the first document', async () => {
    const { code, failed } = await examine({ MODELS_DIR: await networksWithout('mrz-lines-1.onnx') })
    expect(code).toBe(2)
    expect(failed).toMatchObject([
      {
        name: 'networks',
        text: expect.stringContaining('mrz-lines-1 is missing'),
        remedy: expect.stringContaining('npm run models'),
      },
    ])
  })

  it('names a damaged network with its hash, as the server does', async () => {
    const MODELS_DIR = await networksWithout('mrz-lines-1.onnx')
    const whole = await readFile(path.join(builtModelsFolder(readSettings(process.env)), 'mrz-lines-1.onnx'))
    const half = whole.subarray(0, whole.length / 2)
    await writeFile(at('models', 'mrz-lines-1.onnx'), half)
    const damage = `mrz-lines-1: its file is damaged, or of another release (sha256 ${sha256(half)})`
    const { code, failed } = await examine({ MODELS_DIR })
    expect(code).toBe(2)
    expect(failed).toMatchObject([{ name: 'networks', text: expect.stringContaining(damage) }])
    const settings = readSettings({ ...process.env, MODELS_DIR })
    const lines: string[] = []
    await openModels(settings, { onProgress: (line) => lines.push(line) })
    expect(lines).toContain(`${damage}; it is built again`)
    expect((await findModels(settings)).faults).toEqual([])
  })

  it('fails where a module of the software is damaged', async () => {
    damage = new Error('kernel.wasm is damaged')
    expect((await examine()).failed).toMatchObject([
      { name: 'modules', text: damage.message, remedy: expect.stringContaining('npm ci') },
    ])
  })

  it('names a damaged database as the server does', async () => {
    await writeFile(at('vivace.db'), 'this is no database. '.repeat(300))
    const { code, failed } = await examine()
    const refusal = await openServerDatabase(readSettings({ DATA_DIR: folder }), () => {}).catch(
      (error: Error) => error.message,
    )
    expect(code).toBe(2)
    expect(failed.map(({ name, text, remedy }) => [name, `${text}: ${remedy}`])).toEqual([
      ['database', refusal],
    ])
    expect(refusal).toMatch(/vivace\.db cannot be opened \(SQLITE_NOTADB\): .*npm run restore/)
  })

  it('fails where it cannot be told whether there are media', async () => {
    await writeFile(at('media'), '')
    const { failed } = await examine()
    expect(failed).toContainEqual(
      expect.objectContaining({ text: 'the folder of media in DATA_DIR cannot be read (ENOTDIR)' }),
    )
  })

  it('fails where media have lost their database: no file, an empty file, an empty database', async () => {
    await mkdir(at('media', '00'), { recursive: true })
    const lost = [
      {
        name: 'database',
        text: expect.stringContaining('media of an earlier one'),
        remedy: expect.stringContaining('restore'),
      },
    ]
    expect((await examine()).failed).toMatchObject(lost)
    await writeFile(at('vivace.db'), '')
    expect((await examine()).failed).toMatchObject(lost)
    await rm(at('media'), { recursive: true })
    expect((await examine()).failed).toEqual([])
  })

  it('fails where the database is in use and no server of this software listens', async () => {
    const database = await openServerDatabase(readSettings({ DATA_DIR: folder }), () => {})
    try {
      expect((await examine()).failed).toMatchObject([
        { name: 'database', text: expect.stringContaining('used by another process') },
      ])
    } finally {
      database.close()
    }
    expect((await examine()).failed).toEqual([])
  })

  it('warns of little space, and fails before none is left', async () => {
    const shown = async () => (await examine()).all.find(({ name }) => name === 'folder')
    freeBytes = 900e6
    expect(await shown()).toMatchObject({ state: 'warn', text: expect.stringContaining('900 MB free') })
    freeBytes = 100e6
    expect(await shown()).toMatchObject({ state: 'fail', remedy: expect.stringContaining('free space') })
    diskBytes = 0
    expect(await shown()).toMatchObject({ state: 'ok' })
  })

  it('does not mind a full disk on which the server keeps nothing', async () => {
    freeBytes = 0
    const { all } = await examine({ SVC_APP_COMPONENTS: 'stateless' })
    expect(all.find(({ name }) => name === 'folder')).toMatchObject({ state: 'ok' })
  })

  it('warns of links of webhooks and reports that lead nowhere', async () => {
    const links = async (environment: Record<string, string>) =>
      (await examine(environment)).all.find(({ name }) => name === 'links')
    expect(await links({ HOST: '0.0.0.0' })).toMatchObject({ state: 'warn', remedy: 'set PUBLIC_URL' })
    const PUBLIC_URL = 'https://liveness.example'
    expect(await links({ HOST: '0.0.0.0', PUBLIC_URL })).toMatchObject({ state: 'ok' })
  })

  it.skipIf(!existsSync('/proc/self'))(
    'fails where DATA_DIR would be below what refuses folders',
    async () => {
      const { failed } = await examine({ DATA_DIR: '/proc/nope' })
      expect(failed).toMatchObject([
        { name: 'folder', text: expect.stringMatching(/\/proc\/nope cannot be written/) },
      ])
    },
  )

  it('fails where a key of the settings cannot be read', async () => {
    const { failed } = await examine({ SVC_CONTAINER_KEY: at('missing.pem') })
    expect(failed).toMatchObject([{ name: 'keys', remedy: expect.stringContaining('SVC_CONTAINER_KEY') }])
  })

  it('asks the identity provider of the settings who it is', async () => {
    const signIn = async (environment = {}) =>
      (await examine(environment)).all.find(({ name }) => name === 'sign-in')
    const provider = await startIdentityProvider()
    const settings = { ...provider.environment, SVC_OIDC_ROLES: 'staff=ADMIN' }
    const { issuer } = provider
    try {
      expect(await signIn(settings)).toMatchObject({ state: 'ok', text: `${issuer} answers` })
      provider.failure = { status: 200, body: JSON.stringify({ issuer: 'https://elsewhere.example' }) }
      const refused = { state: 'fail', remedy: expect.stringContaining('SVC_OIDC_ISSUER') }
      expect(await signIn(settings)).toMatchObject({ ...refused, text: expect.stringContaining('issuer') })
    } finally {
      await provider.close()
    }
    expect(await signIn(settings)).toMatchObject({ text: `${issuer}: no answer TypeError ECONNREFUSED` })
    expect(await signIn()).toMatchObject({ state: 'ok' })
  })

  it('fails where the clock is before the release', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 0 })
    try {
      expect((await examine()).failed).toMatchObject([
        { name: 'clock', text: expect.stringContaining('1970-01-01T00:00 UTC') },
      ])
    } finally {
      vi.useRealTimers()
    }
  })
})
