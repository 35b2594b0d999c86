import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { commandHere, findInstallation, renewalHere } from '../../../src/platform/installation.ts'

describe('what an operator is told to run', () => {
  it.each([
    ['checkout', ['scripts/run.mjs', 'scripts/vivace.mjs'], '"npm run models"', 'npm ci'],
    ['package', ['scripts/vivace.mjs'], '"npx vivace models"', 'install the package'],
    ['assembled', [], '"node dist/node/vivace.mjs models"', 'image'],
  ] as const)('fits a %s', (name, files, command, renewal) => {
    const installation = findInstallation((file) => (files as readonly string[]).includes(file))
    expect(installation).toBe(name)
    expect(commandHere('models', installation)).toBe(command)
    expect(renewalHere(installation)).toContain(renewal)
  })

  it('fits this checkout', () => {
    expect(commandHere('restore')).toBe('"npm run restore"')
  })

  it('is not written out for one installation, where there are others', async () => {
    const root = path.resolve(import.meta.dirname, '../../..')
    const found: string[] = []
    for (const folder of ['src', 'scripts/cli', 'scripts/backup'])
      for (const name of await readdir(path.join(root, folder), { recursive: true })) {
        if (!name.endsWith('.ts')) continue
        const text = await readFile(path.join(root, folder, name), 'utf8')
        const told = /^(?!\s*(?:\/\/|\/?\*)).*(?:run|with) "?(?:npm (?:run|ci)|npx vivace|wasm\/)/m
        if (told.test(text)) found.push(`${folder}/${name}`)
      }
    // In a checkout alone: the two that ask for it, and Workers, which are deployed from one.
    expect(found.sort()).toEqual([
      'scripts/cli/doctor-command.ts',
      'src/platform/ensure-models.ts',
      'src/platform/installation.ts',
      'src/platform/workers-persistence.ts',
    ])
  })
})
