import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isDraftName, syncToDisk, writeSynced, writeWhole } from '../../../src/platform/whole-file.ts'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'vivace-whole-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('a file that is written as a whole', () => {
  it('replaces the one before, with its rights, and leaves no draft', async () => {
    const file = path.join(folder, 'a.bin')
    await writeFile(file, 'before')
    await writeWhole(file, [Uint8Array.of(1, 2), Uint8Array.of(3)], { mode: 0o600 })
    expect(new Uint8Array(await readFile(file))).toEqual(Uint8Array.of(1, 2, 3))
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await readdir(folder)).filter(isDraftName)).toEqual([])
  })

  it('stays as it was if its content ends early, without a draft', async () => {
    const file = path.join(folder, 'b.txt')
    await writeWhole(file, 'before')
    function* broken() {
      yield Uint8Array.of(1)
      throw new Error('ends')
    }
    await expect(writeWhole(file, broken())).rejects.toThrow('ends')
    expect(await readFile(file, 'utf8')).toBe('before')
    expect((await readdir(folder)).filter(isDraftName)).toEqual([])
  })

  it('is that of one of its writers', async () => {
    const file = path.join(folder, 'c.txt')
    await Promise.all(['aaaa', 'bb', 'cccccc'].map((text) => writeWhole(file, text)))
    expect(['aaaa', 'bb', 'cccccc']).toContain(await readFile(file, 'utf8'))
  })
})

it('a file that is written in place is not overwritten unless that is asked for', async () => {
  const file = path.join(folder, 'd.txt')
  await writeSynced(file, 'first')
  await expect(writeSynced(file, 'second')).rejects.toMatchObject({ code: 'EEXIST' })
  await writeSynced(file, 'third', { flag: 'w' })
  expect(await readFile(file, 'utf8')).toBe('third')
})

it('files and folders are synchronised, and missing ones are an error', async () => {
  await syncToDisk(folder)
  await expect(syncToDisk(path.join(folder, 'missing'))).rejects.toMatchObject({ code: 'ENOENT' })
})
