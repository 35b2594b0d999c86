import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { deliverPassword } from '../../../src/platform/first-password.ts'

const made = { email: 'root@vivace.test', password: 'abcdefghij0123456789' }

describe('a generated password', () => {
  let folder: string
  let lines: string[]

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'vivace-password-'))
    lines = []
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  const deliver = (isTerminal: boolean, dataDir: string) =>
    deliverPassword(made, { dataDir, isTerminal, write: (line) => lines.push(line) })

  it('a generated password is printed on a terminal and not stored', async () => {
    await deliver(true, path.join(folder, 'new'))
    expect(lines).toEqual(['First administrator: root@vivace.test, password abcdefghij0123456789'])
    await expect(stat(path.join(folder, 'new'))).rejects.toThrow('ENOENT')
  })

  it('a generated password goes to a private file if the output is not a terminal', async () => {
    const dataDir = path.join(folder, 'new')
    const file = path.join(dataDir, 'first-administrator-password')
    await deliver(false, dataDir)
    expect(await readFile(file, 'utf8')).toBe(`${made.password}\n`)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700)
    expect(lines.join()).toContain(file)
    expect(lines.join()).not.toContain(made.password)
  })

  it('a generated password replaces a file that others may read', async () => {
    const file = path.join(folder, 'first-administrator-password')
    await writeFile(file, 'old', { mode: 0o644 })
    await deliver(false, folder)
    expect(await readFile(file, 'utf8')).toBe(`${made.password}\n`)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  it('an unwritable password file is an error with advice, without the password', async () => {
    await writeFile(path.join(folder, 'a file'), '')
    const failing = deliver(false, path.join(folder, 'a file'))
    await expect(failing).rejects.toThrow(/SVC_ADMIN_PASSWORD/)
    await expect(failing).rejects.not.toThrow(made.password)
    const dataDir = path.join(folder, 'a file')
    const other = deliverPassword(made, {
      ...{ dataDir, isTerminal: false, write: () => {} },
      otherwise: 'give a password of your own with --stdin',
    })
    await expect(other).rejects.toThrow(
      /make DATA_DIR writable, or give a password of your own with --stdin$/,
    )
    expect(lines).toEqual([])
  })
})
