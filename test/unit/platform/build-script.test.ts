/** `npm run build` beside a running `wrangler dev`, which serves its result. */
import { execFile } from 'node:child_process'
import { readdir, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const assets = path.join(root, 'dist/assets')

const build = () =>
  promisify(execFile)(process.execPath, ['scripts/run.mjs', 'scripts/build.ts'], { cwd: root })

const times = async () =>
  Promise.all(
    (await readdir(assets)).map(
      async (name) => [name, (await stat(path.join(assets, name))).mtimeMs] as const,
    ),
  )

it('replaces only assets that differ, and removes those that are no longer part', async () => {
  await build()
  const before = await times()
  expect(before.map(([name]) => name)).toContain('browser-files.json')
  await writeFile(path.join(assets, 'profile.json'), 'old')
  await writeFile(path.join(assets, 'old.onnx'), 'old')
  await build()
  const after = new Map(await times())
  expect([...after.keys()].sort()).toEqual(before.map(([name]) => name).sort())
  for (const [name, time] of before)
    if (name !== 'profile.json') expect([name, after.get(name)]).toEqual([name, time])
})
