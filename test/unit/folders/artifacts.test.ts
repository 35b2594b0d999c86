import { describe, expect, it } from 'vitest'
import { AppError } from '../../../src/errors.ts'
import { writeArtifacts } from '../../../src/folders/artifacts.ts'
import { listMediumFiles } from '../../../src/folders/record-files.ts'
import type { BlobStore } from '../../../src/storage/blobs/blob-store.ts'
import { memoryBlobs } from '../../../src/storage/blobs/memory-blobs.ts'
import { reportedFolder } from '../../fixtures/reports.ts'

const folder = reportedFolder()
const originals = folder.media.map(
  ({ id, original }) => listMediumFiles(folder.id, { id, mimeType: original.mimeType })[0]!,
)

/** The archive of a folder whose files one store has, and what was told meanwhile. */
async function archiveOf(change: (blobs: BlobStore) => Partial<BlobStore>) {
  const blobs = memoryBlobs()
  for (const key of originals) await blobs.put(key, new TextEncoder().encode(`bytes of ${key}`), 'image/jpeg')
  const errors: unknown[] = []
  const source = {
    blobs: { ...blobs, ...change(blobs) },
    reports: { ofFolder: async () => [] },
    onError: (error: unknown) => errors.push(error),
  }
  const text = await new Response(writeArtifacts(source, folder, { folder: {}, decisions: [] })).text()
  return { text, errors }
}

const failing = (bytes: number): ReadableStream<Uint8Array> => {
  let left = bytes
  return new ReadableStream({
    pull(controller) {
      if (left-- > 0) controller.enqueue(Uint8Array.of(1))
      else throw new AppError('external_failed', 'A file cannot be read')
    },
  })
}

describe('the archive of a folder', () => {
  it('has its files, and leaves out those that were never made', async () => {
    const { text, errors } = await archiveOf(() => ({}))
    for (const key of originals) expect(text).toContain(`bytes of ${key}`)
    expect(text).not.toContain('unreadable')
    expect(errors).toEqual([])
  })

  it.each([
    ['cannot be opened', () => Promise.reject(new AppError('external_failed', 'A file cannot be read'))],
    ['fails with its first bytes', async () => ({ body: failing(0), size: 5, mimeType: 'image/jpeg' })],
  ])('names a file that %s, and has those behind it', async (_, open) => {
    const { text, errors } = await archiveOf((blobs) => ({
      open: (key, range) => (key === originals[0] ? open() : blobs.open(key, range)),
    }))
    expect(text).toContain(`bytes of ${originals[1]}`)
    expect(text).not.toContain(`bytes of ${originals[0]}`)
    expect(text).toContain(`unreadable.txt`)
    expect(text).toContain(`media/${originals[0]!.split('/')[1]}`)
    expect(errors).toMatchObject([{ code: 'external_failed' }])
  })

  it('breaks off at a file that ends before its end: what was sent cannot be taken back', async () => {
    const archive = archiveOf((blobs) => ({
      open: async (key, range) =>
        key === originals[0] ? { body: failing(3), size: 5, mimeType: 'image/jpeg' } : blobs.open(key, range),
    }))
    await expect(archive).rejects.toThrow()
  })
})
