/** The package that npm makes: what it holds, and that nobody publishes it by mistake. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import packageJson from '../../../package.json' with { type: 'json' }
import { modules } from '../../../wasm/build-module.mjs'

const root = path.resolve(import.meta.dirname, '../../..')
const run = promisify(execFile)

describe('the package', () => {
  it('holds what an installation runs, and no sources, tests or pictures', async () => {
    // Without its scripts, which build what `dist/` holds.
    const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root })
    const [{ files, name, version }] = JSON.parse(stdout) as [
      { files: { path: string }[]; name: string; version: string },
    ]
    const paths = files.map((file) => file.path)
    expect([name, version]).toEqual([packageJson.name, packageJson.version])
    expect(paths).toEqual(
      expect.arrayContaining([
        'package.json',
        'README.md',
        'LICENSE',
        'CHANGELOG.md',
        'docs/licences.md',
        'models/manifest.json',
        'scripts/vivace.mjs',
        ...Object.entries(modules).flatMap(([folder, { file }]) => [
          `wasm/${folder}/${file}`,
          `wasm/${folder}/${file}.sha256`,
        ]),
      ]),
    )
    const folders = new Set(paths.filter((file) => file.includes('/')).map((file) => file.split('/')[0]))
    expect(
      [...folders].filter((folder) => ['src', 'test', 'tools', 'web', 'client', '.ci'].includes(folder!)),
    ).toEqual([])
    expect(paths.filter((file) => /(?<!\.d)\.(?:ts|png|jpe?g|mp4|pt|env)$/.test(file))).toEqual([])
  })

  it('is not published before its name is decided, and says how it will be', async () => {
    expect(packageJson.private).toBe(true)
    const guide = await readFile(path.join(root, 'CONTRIBUTING.md'), 'utf8')
    expect(guide).toMatch(/## Publishing[\s\S]*"private": true[\s\S]*--provenance/)
    expect(packageJson.license).toBe('Apache-2.0')
  })

  it('has a change log with what the release does', async () => {
    const log = await readFile(path.join(root, 'CHANGELOG.md'), 'utf8')
    for (const word of ['Try page', 'Console', '/docs', '/guide', 'documents', 'containers', 'Reports'])
      expect(log).toContain(word)
  })
})
