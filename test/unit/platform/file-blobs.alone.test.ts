import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, vi } from 'vitest'
import { fileBlobs } from '../../../src/platform/file-blobs.ts'

const disk = vi.hoisted(() => ({ isFull: false }))

vi.mock('node:fs/promises', async (importOriginal) => {
  const original = await importOriginal<typeof import('node:fs/promises')>()
  const open: typeof original.open = async (...args) => {
    const handle = await original.open(...args)
    if (disk.isFull)
      handle.writeFile = () =>
        Promise.reject(Object.assign(new Error('no space'), { code: 'ENOSPC', syscall: 'write' }))
    return handle
  }
  return { ...original, open }
})

it('leaves no files on a full disk, and works on when there is space again', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'blobs-'))
  const store = fileBlobs(folder)
  const put = () => store.put('folder/a.jpg', Uint8Array.of(1), 'image/jpeg')
  disk.isFull = true
  for (const work of [put, store.check])
    await expect(work()).rejects.toMatchObject({
      code: 'external_failed',
      cause: { message: 'write failed with ENOSPC' },
    })
  expect(await readdir(folder, { recursive: true })).toEqual(['folder'])
  disk.isFull = false
  await store.check()
  await put()
  expect((await readdir(folder, { recursive: true })).toSorted()).toEqual(['folder', 'folder/a.jpg'])
  await rm(folder, { recursive: true })
})
