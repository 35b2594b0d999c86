/** Files that cannot be deleted: in folders, in a bucket of an S3-compatible store, in a bucket of a Worker. */
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { RecordFiles } from '../../../src/folders/record-files.ts'
import { clearFolder, removeFolder } from '../../../src/folders/remove-folder.ts'
import { fileBlobs } from '../../../src/platform/file-blobs.ts'
import type { BlobStore } from '../../../src/storage/blobs/blob-store.ts'
import { type R2Bucket, r2Blobs } from '../../../src/storage/blobs/r2-blobs.ts'
import { s3Blobs } from '../../../src/storage/blobs/s3-blobs.ts'
import { openTestDatabase, type TestDatabase } from '../../fixtures/database.ts'
import { type KeptFolders, keepFolders } from '../../fixtures/kept-folders.ts'
import { listen, stop } from '../../fixtures/s3-server.ts'

/** A store in which one blob can be locked. */
interface Lockable {
  blobs: BlobStore
  lock(key: string): Promise<void>
  unlock(key: string): Promise<void>
}

async function lockableFiles(): Promise<Lockable> {
  const root = await mkdtemp(path.join(tmpdir(), 'locked-'))
  onTestFinished(() => rm(root, { recursive: true }))
  const place = (key: string) => path.join(root, key)
  return {
    blobs: fileBlobs(root),
    // A folder in its place cannot be deleted as a file, not even by the super-user.
    async lock(key) {
      await rm(place(key))
      await mkdir(path.join(place(key), 'in-the-way'), { recursive: true })
    },
    async unlock(key) {
      await rm(place(key), { recursive: true })
      await writeFile(place(key), 'as before')
    },
  }
}

/** The part of an S3-compatible store that is used, with a hold on objects. */
async function lockableS3(): Promise<Lockable> {
  const objects = new Map<string, Buffer>()
  const locked = new Set<string>()
  const { endpoint, server } = await listen(async (req, res) => {
    const key = req.url!.replace(/^\/b\/?/, '')
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    if (req.method === 'PUT') objects.set(key, Buffer.concat(chunks))
    if (req.method === 'DELETE' && locked.has(key))
      return void res.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>')
    if (req.method === 'DELETE') objects.delete(key)
    const isMissing = key !== '' && req.method !== 'DELETE' && !objects.has(key)
    const body = req.method === 'GET' ? objects.get(key) : undefined
    res.writeHead(isMissing ? 404 : 200, { 'Content-Length': objects.get(key)?.length ?? 0 }).end(body)
  })
  onTestFinished(() => stop(server))
  const credentials = { accessKeyId: 'i', secretAccessKey: 's', region: 'r' }
  return {
    blobs: s3Blobs({ endpoint, bucket: 'b', timeoutMs: 2000, ...credentials }),
    lock: async (key) => void locked.add(key),
    unlock: async (key) => void locked.delete(key),
  }
}

async function lockableR2(): Promise<Lockable> {
  const objects = new Map<string, Uint8Array>()
  const locked = new Set<string>()
  const bucket = {
    put: async (key: string, value: Uint8Array) => void objects.set(key, value),
    head: async (key: string) => objects.get(key) && { size: objects.get(key)!.length },
    async delete(keys: string[]) {
      if (keys.some((key) => locked.has(key))) throw new Error('the object is locked by the bucket policy')
      for (const key of keys) objects.delete(key)
    },
  } as unknown as R2Bucket
  return {
    blobs: r2Blobs(bucket),
    lock: async (key) => void locked.add(key),
    unlock: async (key) => void locked.delete(key),
  }
}

const minuteMs = 60_000

describe.each([
  ['files', lockableFiles],
  ['an S3 store', lockableS3],
  ['a bucket of a Worker', lockableR2],
])('a file that cannot be deleted: %s', (_, open) => {
  let opened: TestDatabase
  let kept: KeptFolders
  let company: string
  let store: Lockable
  let there: (folder: { id: string }) => Promise<string[]>

  beforeEach(async () => {
    opened = await openTestDatabase()
    store = await open()
    kept = keepFolders(opened.database, 3, { store: store.blobs })
    company = await kept.company('One')
    there = async ({ id }) => {
      const { rows } = await opened.client.execute('select key from blob_removals')
      return rows.map(({ key }) => String(key)).filter((key) => key.startsWith(id))
    }
  })
  afterEach(() => opened.close())

  const filled = async () => {
    const folder = await kept.folder(company)
    const { original, thumbnail } = folder.media[0]!.files!
    return { id: folder.id, original, thumbnail }
  }
  const isStored = async (key: string) => (await store.blobs.stat(key)) !== null

  it('stops neither the removal of its folder nor that of others, and goes when the obstacle is gone', async () => {
    const [first, second, third] = [await filled(), await filled(), await filled()]
    await store.lock(first.original)
    await removeFolder(kept.parts, first.id)
    expect(await kept.parts.folders.find(first.id)).toBeNull()
    expect([await isStored(first.thumbnail), await there(first)]).toEqual([false, [first.original]])
    expect(await kept.parts.ledger.countFailed()).toBe(1)
    await clearFolder(kept.parts, second.id)
    expect([await isStored(second.original), await isStored(second.thumbnail)]).toEqual([false, false])
    await opened.client.execute({
      sql: 'insert into blob_removals (key, due_at) values (?, ?)',
      args: [`${third.id}/${crypto.randomUUID()}.jpg`, kept.clock.nowMs],
    })
    kept.clock.nowMs += 60 * minuteMs
    await kept.housekeeping().beat()
    expect(await there(third)).toEqual([])
    expect([await there(first), kept.undeleted.length, kept.troubles]).toEqual([[first.original], 2, []])
    await store.unlock(first.original)
    kept.clock.nowMs += 6 * 60 * minuteMs
    await kept.housekeeping().beat()
    expect([await isStored(first.original), await there(first)]).toEqual([false, []])
    expect(await kept.parts.ledger.countFailed()).toBe(0)
  })

  it('is tried again with growing distance', async () => {
    const { id, original } = await filled()
    await store.lock(original)
    await removeFolder(kept.parts, id)
    const startMs = kept.clock.nowMs
    const triedAt: number[] = []
    while (triedAt.length < 13) {
      const [{ due_at }] = (await opened.client.execute('select due_at from blob_removals'))
        .rows as never as [{ due_at: number }]
      kept.clock.nowMs = due_at - 1
      await kept.parts.files.sweep()
      expect(kept.undeleted).toHaveLength(triedAt.length + 1)
      kept.clock.nowMs++
      await kept.parts.files.sweep()
      expect(kept.undeleted).toHaveLength(triedAt.length + 2)
      triedAt.push((due_at - startMs) / minuteMs)
    }
    const pauses = triedAt.map((at, place) => at - (triedAt[place - 1] ?? 0))
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360, 360, 360])
  })
})

describe('files of records', () => {
  let opened: TestDatabase
  let kept: KeptFolders

  beforeEach(async () => {
    opened = await openTestDatabase()
    kept = keepFolders(opened.database)
  })
  afterEach(() => opened.close())

  const due = async (count: number, ownerId = crypto.randomUUID()) => {
    const keys = Array.from({ length: count }, () => `${ownerId}/${crypto.randomUUID()}.jpg`)
    await kept.parts.ledger.registerPending(keys, kept.clock.nowMs)
    return { ownerId, keys }
  }

  it('more undeletable ones than are taken at once keep no later one', async () => {
    const { ownerId } = await due(250)
    kept.clock.nowMs++
    const later = (await due(1)).keys
    const deleted: string[] = []
    const blobs: BlobStore = {
      ...kept.blobs,
      async delete(keys) {
        const isLocked = (key: string) => key.startsWith(ownerId)
        deleted.push(...keys.filter((key) => !isLocked(key)))
        return new Map(keys.filter(isLocked).map((key) => [key, new Error('locked')]))
      },
    }
    expect(await new RecordFiles({ ...kept.filesDeps, blobs }).sweep()).toBe('all')
    expect([deleted, await kept.parts.ledger.countFailed()]).toEqual([later, 250])
  })

  it('a removal deletes no other files than its own, and leaves a store that is away to the sweeps', async () => {
    const other = await due(3)
    kept.clock.nowMs++
    const own = await due(250)
    const asked: string[] = []
    const blobs: BlobStore = {
      ...kept.blobs,
      async delete(keys) {
        asked.push(...keys)
        return new Map(keys.map((key) => [key, new Error('away')]))
      },
    }
    const files = new RecordFiles({ ...kept.filesDeps, blobs })
    await files.remove({ ownerId: own.ownerId, dueMs: kept.clock.nowMs })
    expect([asked.length, asked.filter((key) => other.keys.includes(key))]).toEqual([100, []])
    await kept.parts.files.sweep()
    expect(await kept.parts.ledger.countFailed()).toBe(100)
    const { rows } = await opened.client.execute('select count(*) as n from blob_removals')
    expect(rows[0]!.n).toBe(100)
  })

  it('two that try the same file at once count one failure and tell of it once', async () => {
    const own = await due(1)
    let asked = 0
    let release = () => {}
    const bothAsked = new Promise<void>((resolve) => {
      release = resolve
    })
    const blobs: BlobStore = {
      ...kept.blobs,
      async delete(keys) {
        asked++
        if (asked === 2) release()
        await bothAsked
        return new Map(keys.map((key) => [key, new Error('locked')]))
      },
    }
    const files = new RecordFiles({ ...kept.filesDeps, blobs })
    await Promise.all([files.remove({ ownerId: own.ownerId, dueMs: kept.clock.nowMs }), files.sweep()])
    expect([asked, kept.undeleted.length]).toEqual([2, 1])
    const { rows } = await opened.client.execute('select attempts from blob_removals')
    expect(rows).toMatchObject([{ attempts: 1 }])
  })

  it('a removal that cannot ask the database leaves its files to the sweeps', async () => {
    const { ownerId, keys } = await due(2)
    const ledger = { due: () => Promise.reject(new Error('away')) } as never
    await new RecordFiles({ ...kept.filesDeps, ledger }).remove({ ownerId, dueMs: kept.clock.nowMs })
    expect(kept.troubles).toEqual([new Error('away')])
    expect(await kept.parts.ledger.due(kept.clock.nowMs, 10)).toEqual(expect.arrayContaining(keys))
  })

  it('a sweep ends when its time is up, and says that there is more', async () => {
    await due(250)
    expect(await kept.parts.files.sweep(() => true)).toBe('some')
    expect(await kept.parts.ledger.due(kept.clock.nowMs, 500)).toHaveLength(150)
    expect(await kept.parts.files.sweep()).toBe('all')
  })

  it('those of a failed upload are deleted, and no other ones', async () => {
    const other = await due(1)
    const key = `${crypto.randomUUID()}/${crypto.randomUUID()}.jpg`
    const blob = { key, bytes: Uint8Array.of(1), mimeType: 'image/jpeg' }
    const failed = kept.parts.files.write([blob], () => Promise.reject(new Error('refused')))
    await expect(failed).rejects.toThrow('refused')
    expect(kept.blobs.keys()).toEqual([])
    expect(await kept.parts.ledger.due(kept.clock.nowMs, 10)).toEqual(other.keys)
  })

  it('are looked up without being opened', async () => {
    const blobs: BlobStore = { ...kept.blobs, open: () => Promise.reject(new Error('opened')) }
    const files = new RecordFiles({ ...kept.filesDeps, blobs })
    await blobs.put('a/b.jpg', Uint8Array.of(1), 'image/jpeg')
    expect([await files.exists('a/b.jpg'), await files.exists('a/c.jpg')]).toEqual([true, false])
  })
})

describe('a half-written snapshot of a medium that stays', () => {
  it('outlives the sweep, and goes with the next file of its folder that is written or removed', async () => {
    const root = await mkdtemp(path.join(tmpdir(), 'half-written-'))
    onTestFinished(() => rm(root, { recursive: true, force: true }))
    const opened = await openTestDatabase()
    onTestFinished(() => opened.close())
    const blobs = fileBlobs(root)
    const kept = keepFolders(opened.database, 1, { store: blobs })
    const folder = await kept.folder(await kept.company('One'))
    const dying = async () => {
      await kept.parts.ledger.registerPending(
        [`${folder.id}/${folder.media[0]!.id}_snapshot.jpg`],
        kept.clock.nowMs,
      )
      await writeFile(path.join(root, folder.id, `.${crypto.randomUUID()}.part`), 'half of a face')
      await kept.parts.files.sweep()
      expect((await opened.client.execute('select key from blob_removals')).rows).toEqual([])
    }
    const parts = async () =>
      (await readdir(path.join(root, folder.id))).filter((name) => name.startsWith('.'))
    await dying()
    expect(await parts()).toHaveLength(1)
    await blobs.put(`${folder.id}/other.jpg`, Uint8Array.of(1), 'image/jpeg')
    expect(await parts()).toEqual([])
    await dying()
    await blobs.delete([`${folder.id}/other.jpg`])
    expect(await parts()).toEqual([])
    await dying()
    await removeFolder(kept.parts, folder.id)
    expect(await readdir(root)).toEqual([])
  })
})
