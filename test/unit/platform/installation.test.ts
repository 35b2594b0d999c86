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
})
