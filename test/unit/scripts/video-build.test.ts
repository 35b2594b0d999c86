/** When `wasm/video/build.sh` builds anew, with programs in place of the real ones: nothing is installed or fetched. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'

const sources = path.resolve(import.meta.dirname, '../../../wasm/video')
let folder: string
const at = (...names: string[]) => path.join(folder, ...names)

/** A copy of the script beside a module that it has built. */
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'vivace-video-'))
  await mkdir(at('video', 'built'), { recursive: true })
  const names = (await readdir(sources)).filter((name) => /\.(?:sh|c|h)$/.test(name))
  for (const name of names) await cp(path.join(sources, name), at('video', name))
  const inputs = createHash('sha256')
  for (const ending of ['.sh', '.c', '.h'])
    for (const name of names.filter((other) => other.endsWith(ending)).sort())
      inputs.update(await readFile(at('video', name)))
  await writeFile(at('video', 'built', 'inputs.sha256'), `${inputs.digest('hex')}\n`)
  await writeFile(at('video', 'built', 'video.wasm'), 'a module')
  await mkdir(at('programs'))
  for (const name of ['apt-get', 'emcc', 'dpkg-source'])
    await writeFile(at('programs', name), '#!/bin/sh\necho "not here" >&2\nexit 1\n', { mode: 0o755 })
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const build = () =>
  new Promise<{ code: unknown; output: string }>((resolve) => {
    const env = { ...process.env, PATH: `${at('programs')}:${process.env.PATH}`, VIDEO_BUILD_DIR: at('work') }
    execFile('bash', [at('video', 'build.sh')], { env }, (error, stdout) =>
      resolve({ code: error?.code ?? 0, output: stdout }),
    )
  })

it('leaves a module that was built from the same files as it is', async () => {
  await mkdir(at('work', 'ffmpeg-5.1.9'), { recursive: true })
  expect(await build()).toEqual({ code: 0, output: expect.stringContaining('is up to date') })
})

it('fetches the newest sources of FFmpeg where they were deleted, and keeps the module if that fails', async () => {
  const { code, output } = await build()
  expect([code, output]).toEqual([1, expect.stringContaining('fetches the sources of FFmpeg')])
  expect(await readFile(at('video', 'built', 'video.wasm'), 'utf8')).toBe('a module')
})
