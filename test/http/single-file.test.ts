/** The server as one file, which Bun compiles: it starts in an empty folder and needs nothing else. */
import { execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { portrait } from '../fixtures/portraits.ts'
import { testedRuntime } from '../fixtures/server.ts'
import { postBytes, send } from './client.ts'

const root = path.resolve(import.meta.dirname, '..', '..')

describe.skipIf(testedRuntime !== 'bun')('the server as one file', () => {
  let folder: string

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'vivace-single-'))
    await mkdir(path.join(folder, 'empty'))
    await promisify(execFile)('deploy/single-file.sh', [path.join(folder, 'vivace')], { cwd: root })
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('serves checks and pages from an empty folder, and ends on SIGTERM', async () => {
    const { MODEL_PROFILE } = process.env
    const started = spawn(path.join(folder, 'vivace'), {
      cwd: path.join(folder, 'empty'),
      env: {
        ...(MODEL_PROFILE === undefined ? {} : { MODEL_PROFILE }),
        PORT: '0',
        SVC_APP_COMPONENTS: 'stateless',
        ASSESS_WORKERS: '1',
      },
    })
    const ended = new Promise<number | null>((resolve) => started.once('exit', resolve))
    let output = ''
    for (const stream of [started.stdout, started.stderr]) stream.on('data', (chunk) => (output += chunk))
    const address = () => /"event":"listening","address":"([^"]*)"/.exec(output)?.[1] ?? ''
    const state = () => (started.exitCode === null ? address() : `ended: ${output}`)
    try {
      await expect.poll(state, { timeout: 60_000 }).toMatch(/^http:|^ended/)
      expect(state()).toMatch(/^http:/)
      const photo = await portrait('redhead')
      const { json } = await postBytes('/v1/face/liveness/detect', photo, 'image/jpeg', {}, address())
      expect(json.passed).toBe(true)
      expect((await send('/', {}, address())).status).toBe(200)
    } finally {
      started.kill('SIGTERM')
    }
    expect(await ended).toBe(0)
    expect(await readdir(path.join(folder, 'empty'))).toEqual([])
  })
})
