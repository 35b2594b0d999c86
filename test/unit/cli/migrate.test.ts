import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { migrateCommand } from '../../../scripts/cli/migrate-command.ts'
import { runHere } from '../../fixtures/command.ts'

it('migrate says whether the database was empty', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'migrate-'))
  try {
    const migrate = async () => (await runHere(migrateCommand, [], { DATA_DIR: folder })).output
    expect(await migrate()).toBe('the database was empty; it has all tables now\n')
    expect(await migrate()).toBe('the database is up to date with this release\n')
  } finally {
    await rm(folder, { recursive: true })
  }
})
