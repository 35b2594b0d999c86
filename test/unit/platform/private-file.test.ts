/** Folders of the service, and files that the super-user makes for the owner of a folder. */
import { chown, lstat, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fileBlobs } from '../../../src/platform/file-blobs.ts'
import { giveToOwnerOf, makeFolder, makePrivateFile } from '../../../src/platform/private-file.ts'

const owner = 65532
let folder: string
const at = (...names: string[]) => path.join(folder, ...names)

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'vivace-private-'))
  await mkdir(at('data'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('a folder', () => {
  it('is made with those above it, and left as it is if it is there', async () => {
    await Promise.all([makeFolder(at('new', 'one', 'a'), 0o700), makeFolder(at('new', 'one', 'b'), 0o700)])
    await makeFolder(at('new', 'one', 'a'))
    for (const name of ['new', 'new/one', 'new/one/a', 'new/one/b'])
      expect([name, (await stat(at(name))).mode & 0o777]).toEqual([name, 0o700])
  })

  it('that cannot be made is refused, not tried forever', async () => {
    await symlink(at('disk that is not mounted'), at('link'))
    await expect(makeFolder(at('link', 'data'))).rejects.toThrow('ENOENT')
    await writeFile(at('file'), '')
    await expect(makeFolder(at('file'))).rejects.toThrow('EEXIST')
  })
})

describe.skipIf(process.getuid?.() !== 0)('what the super-user makes', () => {
  beforeEach(() => chown(at('data'), owner, owner))

  it('belongs to the owner of the folder', async () => {
    await makePrivateFile(at('data', 'lock'))
    const { uid, gid, mode } = await stat(at('data', 'lock'))
    expect([uid, gid, mode & 0o777]).toEqual([owner, owner, 0o600])
  })

  it('belongs to the owner of the media, in files that are replaced and in new folders', async () => {
    const store = fileBlobs(at('data'))
    await mkdir(at('data', 'old'))
    await chown(at('data', 'old'), owner, owner)
    for (const name of ['old/a.jpg', 'old/a.jpg', 'new/a.jpg'])
      await store.put(name, new Uint8Array(9), 'image/jpeg')
    for (const name of ['old', 'old/a.jpg', 'new', 'new/a.jpg']) {
      const { uid, gid } = await stat(at('data', name))
      expect([name, uid, gid]).toEqual([name, owner, owner])
    }
  })

  it('is not a file elsewhere that a link of that owner names', async () => {
    await writeFile(at('secret'), 'secret')
    await symlink(at('secret'), at('data', 'link'))
    await giveToOwnerOf(at('data'), [at('data', 'link')])
    await makePrivateFile(at('data', 'link'))
    expect([(await lstat(at('data', 'link'))).uid, (await stat(at('secret'))).uid]).toEqual([owner, 0])
  })
})

it('a private file that exists stays as it is', async () => {
  await writeFile(at('data', 'lock'), 'content', { mode: 0o644 })
  await makePrivateFile(at('data', 'lock'))
  expect((await stat(at('data', 'lock'))).size).toBe(7)
})
