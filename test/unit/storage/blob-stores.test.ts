/** One suite for all blob stores, then tests for single ones. */
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { AppError } from '../../../src/errors.ts'
import { fileBlobs } from '../../../src/platform/file-blobs.ts'
import {
  assertBlobKey,
  type BlobRange,
  type BlobStore,
  findMimeType,
} from '../../../src/storage/blobs/blob-store.ts'
import { memoryBlobs } from '../../../src/storage/blobs/memory-blobs.ts'
import { type R2Bucket, r2Blobs } from '../../../src/storage/blobs/r2-blobs.ts'
import { type S3Options, s3Blobs } from '../../../src/storage/blobs/s3-blobs.ts'
import { encryptedBlobs } from '../../../src/storage/encryption/encrypted-blobs.ts'
import { memoryKeys } from '../../fixtures/data-keys.ts'
import { hasLocalBuckets, type LocalBucket, openLocalBucket } from '../../fixtures/r2-bucket.ts'
import { hasS3Server, listen, type S3Server, startS3Server, stop } from '../../fixtures/s3-server.ts'

const jpeg = 'image/jpeg'
const text = (value: string): Uint8Array => new TextEncoder().encode(value)
const textOf = (bytes: Uint8Array | null): string | null => bytes && new TextDecoder().decode(bytes)
const newKey = (): string => `${crypto.randomUUID()}/${crypto.randomUUID()}.jpg`
const read = async (store: BlobStore, key: string) => textOf(await store.read(key))

/** Opens a blob or a range of it, and reads it. */
async function openText(store: BlobStore, key: string, range?: BlobRange) {
  const opened = await store.open(key, range)
  return opened && { ...opened, body: await new Response(opened.body).text() }
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => null,
    (error: unknown) => error,
  )
}

/** Rejects if the blob cannot be deleted. */
async function deletion(store: BlobStore, key: string): Promise<void> {
  for (const failure of (await store.delete([key])).values()) throw failure
}

/** Everything of an error that can reach a log. */
function told(error: unknown): string {
  const { message, cause, stack } = error as Error
  return [message, stack, cause instanceof Error ? told(cause) : String(cause)].join('\n')
}

const temporaryFolders: string[] = []
async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'blobs-'))
  temporaryFolders.push(folder)
  return folder
}

let s3: S3Server | null = null
let r2: LocalBucket | null = null
beforeAll(async () => {
  if (hasS3Server) s3 = await startS3Server()
  if (hasLocalBuckets) r2 = await openLocalBucket()
})
afterAll(async () => {
  await s3?.close()
  await r2?.close()
  for (const folder of temporaryFolders) await rm(folder, { recursive: true, force: true })
})

/** Whose blobs a backup copies, and whose operators read them. */
const kept: Record<string, [isFolder: boolean, isRemote: boolean, isReadByOthers: boolean]> = {
  memory: [false, false, false],
  files: [true, false, false],
  S3: [false, true, true],
  R2: [false, true, false],
  'memory, encrypted': [false, false, false],
  'S3, encrypted': [false, true, false],
}

const implementations: [name: string, open: () => Promise<BlobStore>, isMissing: boolean][] = [
  ['memory', async () => memoryBlobs(), false],
  ['files', async () => fileBlobs(path.join(await temporaryFolder(), 'not', 'yet')), false],
  ['S3', async () => s3Blobs(s3!.options), !hasS3Server],
  ['R2', async () => r2Blobs(r2!.bucket), !hasLocalBuckets],
  ['memory, encrypted', async () => encryptedBlobs(memoryBlobs(), await memoryKeys()), false],
  ['S3, encrypted', async () => encryptedBlobs(s3Blobs(s3!.options), await memoryKeys()), !hasS3Server],
]

describe.each(implementations)('blobs in %s', (name, openStore, isMissing) => {
  const title = isMissing ? `${name}: skipped, run "npm run runtimes"` : 'keep the contract'
  describe.skipIf(isMissing)(title, () => {
    let store: BlobStore
    beforeAll(async () => {
      store = await openStore()
    })

    it('says where its blobs are', async () => {
      const { backup } = store
      expect([backup.folder !== null, store.isRemote, store.isReadByOthers]).toEqual(kept[name])
      const key = newKey()
      await store.put(key, text('here'), jpeg)
      if (backup.folder === null) expect(backup.advice).toMatch(/^The media are in /)
      else expect(await readFile(path.join(backup.folder, key), 'utf8')).toBe('here')
    })

    it('returns the stored bytes', async () => {
      const key = newKey()
      const bytes = crypto.getRandomValues(new Uint8Array(60_000))
      await store.put(key, bytes, jpeg)
      expect(await store.read(key)).toEqual(bytes)
      const opened = await store.open(key)
      expect(opened).toMatchObject({ size: 60_000, mimeType: jpeg })
      expect(new Uint8Array(await new Response(opened!.body).arrayBuffer())).toEqual(bytes)
    })

    it('stores a blob of many megabytes', async () => {
      const key = `${crypto.randomUUID()}/${crypto.randomUUID()}_preview.mp4`
      const bytes = new Uint8Array(9 * 2 ** 20 + 1).map((_, at) => at % 251)
      await store.put(key, bytes, 'video/mp4')
      const back = await store.read(key)
      expect(back?.length).toBe(bytes.length)
      expect(back?.every((byte, at) => byte === at % 251)).toBe(true)
      const opened = await store.open(key)
      await opened!.body.cancel()
    })

    it('stores an empty blob', async () => {
      const key = newKey()
      await store.put(key, new Uint8Array(), jpeg)
      expect(await read(store, key)).toBe('')
      expect(await openText(store, key)).toEqual({ body: '', size: 0, mimeType: jpeg })
    })

    it('is not affected by changes to passed or returned bytes', async () => {
      const key = newKey()
      const bytes = text('before')
      await store.put(key, bytes, jpeg)
      bytes.fill(0)
      ;(await store.read(key))?.fill(0)
      expect(await read(store, key)).toBe('before')
    })

    it.each([
      [0, 2, '012'],
      [3, 3, '3'],
      [5, 9, '56789'],
      [0, 9, '0123456789'],
    ])('opens bytes %i to %i', async (start, end, expected) => {
      const key = newKey()
      await store.put(key, text('0123456789'), jpeg)
      const opened = await openText(store, key, { start, end })
      expect(opened).toEqual({ body: expected, size: 10, mimeType: jpeg })
    })

    it.each([
      [0, 10],
      [10, 12],
    ])('rejects the range %i to %i of ten bytes', async (start, end) => {
      const key = newKey()
      await store.put(key, text('0123456789'), jpeg)
      expect(await failureOf(store.open(key, { start, end }))).toBeInstanceOf(TypeError)
    })

    it('replaces a blob as a whole', async () => {
      const key = newKey()
      await store.put(key, text('a long first version'), jpeg)
      await store.put(key, text('short'), jpeg)
      expect(await read(store, key)).toBe('short')
      expect(await openText(store, key)).toEqual({ body: 'short', size: 5, mimeType: jpeg })
    })

    it('returns null for a missing blob', async () => {
      const key = newKey()
      expect(await store.read(key)).toBeNull()
      expect(await store.open(key)).toBeNull()
      expect(await store.open(key, { start: 0, end: 1 })).toBeNull()
      expect(await store.open(key.replace('.jpg', '.exe'))).toBeNull()
    })

    it('deletes only the named blobs, missing ones included', async () => {
      const [first = '', second = '', kept = ''] = ['a', 'b', 'c'].map((id) => `delete/${id}.json`)
      for (const key of [first, second, kept]) await store.put(key, text(key), 'application/json')
      const failures = await store.delete([first, newKey(), second])
      expect([...failures]).toEqual([])
      expect([await store.read(first), await store.read(second)]).toEqual([null, null])
      expect(await read(store, kept)).toBe(kept)
      await store.delete([first])
      await store.delete([])
    })

    it('deletes many blobs', async () => {
      const keys = Array.from({ length: 20 }, (_, id) => `many/${id}.bin`)
      for (const key of keys) await store.put(key, text(key), 'application/octet-stream')
      await store.delete(keys)
      expect(await Promise.all(keys.map((key) => store.read(key)))).toEqual(keys.map(() => null))
    })

    it('tells size and type of a blob without opening it', async () => {
      const key = newKey()
      await store.put(key, text('0123456789'), jpeg)
      expect(await store.stat(key)).toEqual({ size: 10, mimeType: jpeg })
      expect([await store.stat(newKey()), await store.stat('no/type')]).toEqual([null, null])
    })

    it('a malformed key stops no other one from being deleted', async () => {
      const [first = '', last = ''] = ['a', 'z'].map((id) => `poisoned/${id}.json`)
      for (const key of [first, last]) await store.put(key, text(key), 'application/json')
      const failures = await store.delete([first, 'a/../b.jpg', last])
      expect([...failures]).toEqual([['a/../b.jpg', expect.any(TypeError)]])
      expect([await store.read(first), await store.read(last)]).toEqual([null, null])
    })

    it('keeps one whole blob of concurrent puts', async () => {
      const key = newKey()
      const versions = Array.from({ length: 8 }, (_, version) => String(version).repeat(5_000))
      await Promise.all(versions.map((version) => store.put(key, text(version), jpeg)))
      expect(versions).toContain(await read(store, key))
    })

    it('passes its health check', async () => {
      await expect(store.check()).resolves.toBeUndefined()
    })

    it('rejects a malformed key or a mismatched type', async () => {
      const mistakes = [
        store.put('../a.jpg', text('x'), jpeg),
        store.open('a//b.jpg'),
        store.read('/etc/passwd'),
        store.stat('a/../b.jpg'),
        store.put('a/b.jpg', text('x'), 'text/html'),
        store.put('a/b.html', text('x'), 'text/html'),
      ]
      for (const failure of await Promise.all(mistakes.map(failureOf)))
        expect(failure).toBeInstanceOf(TypeError)
    })
  })
})

describe('a blob key', () => {
  it.each(['a.jpg', 'b/a_thumb.jpg', 'instant/a/A-1_b.tar.zip', 'plain'])(
    'accepts the blob key %s',
    (key) => {
      expect(() => assertBlobKey(key)).not.toThrow()
    },
  )

  it.each([
    '',
    '/',
    '.',
    '..',
    'a/',
    '/a',
    'a//b',
    'a/..',
    'a/../b',
    'a/./b',
    '.hidden',
    'a/.b.part',
    'a.b/c',
    'a.',
    'a..b',
    'a b',
    'a\\b',
    'a%2fb',
    'a\0b',
    'a\n',
    'é.jpg',
    'a?b',
    'x'.repeat(201),
  ])('rejects the blob key %j', (key) => {
    expect(() => assertBlobKey(key)).toThrow(TypeError)
  })

  it('derives the type from the extension of a key', () => {
    expect(['a.jpg', 'a.jpeg', 'a.b.json', 'a.bin'].map(findMimeType)).toEqual([
      'image/jpeg',
      'image/jpeg',
      'application/json',
      'application/octet-stream',
    ])
    expect(['a', 'a.svg', 'a.JPG', 'jpg', 'a.constructor'].map(findMimeType)).toEqual([
      null,
      null,
      null,
      null,
      null,
    ])
  })
})

describe('files', () => {
  const everything = (root: string) => readdir(root, { recursive: true })

  it('blob files are at the path of their key, without leftovers', async () => {
    const root = await temporaryFolder()
    const store = fileBlobs(root)
    await store.put('f/m.jpg', text('x'), jpeg)
    await store.put('f/m.jpg', text('y'), jpeg)
    await store.check()
    expect((await everything(root)).sort()).toEqual(['f', 'f/m.jpg'])
    expect(await readFile(path.join(root, 'f', 'm.jpg'), 'utf8')).toBe('y')
  })

  it('blob files are readable by their owner only', async () => {
    const root = await temporaryFolder()
    await fileBlobs(root).put('f/m.jpg', text('x'), jpeg)
    expect((await stat(path.join(root, 'f', 'm.jpg'))).mode & 0o077).toBe(0)
    expect((await stat(path.join(root, 'f'))).mode & 0o077).toBe(0)
  })

  it('deleting blob files removes empty folders', async () => {
    const root = await temporaryFolder()
    const store = fileBlobs(root)
    for (const key of ['a/b/1.jpg', 'a/2.jpg', 'c/3.jpg']) await store.put(key, text(key), jpeg)
    await store.delete(['a/b/1.jpg', 'c/3.jpg'])
    expect((await everything(root)).sort()).toEqual(['a', 'a/2.jpg'])
    await store.delete(['a/2.jpg'])
    expect(await everything(root)).toEqual([])
  })

  it('one that cannot be deleted stops no other one, and goes when the obstacle is gone', async () => {
    const root = await temporaryFolder()
    const store = fileBlobs(root)
    const keys = ['f/1.jpg', 'f/2.jpg', 'g/3.jpg']
    for (const key of keys) await store.put(key, text(key), jpeg)
    const obstacle = path.join(root, 'f', '1.jpg')
    await rm(obstacle)
    await mkdir(path.join(obstacle, 'in-the-way'), { recursive: true })
    const failures = await store.delete(keys)
    expect([...failures]).toEqual([['f/1.jpg', expect.objectContaining({ code: 'external_failed' })]])
    expect(told(failures.get('f/1.jpg'))).not.toMatch(/1\.jpg|in-the-way/)
    expect((await everything(root)).sort()).toEqual(['f', 'f/1.jpg', 'f/1.jpg/in-the-way'])
    expect(await store.stat('f/1.jpg')).toBeNull()
    await rm(obstacle, { recursive: true })
    expect((await store.delete(keys)).size).toBe(0)
    expect(await everything(root)).toEqual([])
  })

  it('are written although something half written cannot be removed', async () => {
    const root = await temporaryFolder()
    await mkdir(path.join(root, 'f', '.8a6e0804-2bd0-4672-b79d-d97027f9071a.part'), { recursive: true })
    const store = fileBlobs(root)
    await store.put('f/1.jpg', text('x'), jpeg)
    expect(await read(store, 'f/1.jpg')).toBe('x')
  })

  it('reports a blob whose half-written copy stays', async () => {
    const root = await temporaryFolder()
    const store = fileBlobs(root)
    await store.put('f/1.jpg', text('x'), jpeg)
    await mkdir(path.join(root, 'f', '.8a6e0804-2bd0-4672-b79d-d97027f9071a.part'))
    expect([...(await store.delete(['f/1.jpg'])).keys()]).toEqual(['f/1.jpg'])
    expect(await store.read('f/1.jpg')).toBeNull()
  })

  it('partly written files of a crash are removed with their folder', async () => {
    const root = await temporaryFolder()
    const store = fileBlobs(root)
    await store.put('f/m.jpg', text('x'), jpeg)
    await writeFile(path.join(root, 'f', '.8a6e0804-2bd0-4672-b79d-d97027f9071a.part'), 'half of a face')
    await store.delete(['f/m.jpg'])
    expect(await everything(root)).toEqual([])
  })

  it('a failed write leaves no temporary file', async () => {
    const root = await temporaryFolder()
    await mkdir(path.join(root, 'f', 'm.jpg', 'in-the-way'), { recursive: true })
    await expect(fileBlobs(root).put('f/m.jpg', text('x'), jpeg)).rejects.toMatchObject({
      code: 'external_failed',
    })
    expect((await everything(root)).sort()).toEqual(['f', 'f/m.jpg', 'f/m.jpg/in-the-way'])
  })

  it('an unwritable root fails without naming a path or key', async () => {
    // A file in place of the folder blocks even root.
    const root = path.join(await temporaryFolder(), 'occupied')
    await writeFile(root, '')
    const store = fileBlobs(root)
    const key = 'folder-name/medium-name.jpg'
    const attempts = [
      store.check(),
      store.put(key, text('x'), jpeg),
      store.open(key),
      store.stat(key),
      deletion(store, key),
    ]
    for (const error of await Promise.all(attempts.map(failureOf))) {
      expect(error).toMatchObject({ code: 'external_failed', cause: expect.any(Error) })
      expect(told(error)).toMatch(/EEXIST|ENOTDIR/)
      expect(told(error)).not.toMatch(/occupied|medium-name/)
    }
  })

  it('a reader gets one whole version while others replace and delete the blob', async () => {
    const root = await temporaryFolder()
    const store = fileBlobs(root)
    const versions = ['a', 'b', 'c'].map((letter) => letter.repeat(300_000))
    let isDone = false
    const readers = [1, 2, 3].map(async () => {
      const seen: (string | null)[] = []
      while (!isDone) {
        seen.push((await openText(store, 'f/m.jpg'))?.body ?? null)
      }
      return seen
    })
    const remover = (async () => {
      while (!isDone) {
        await store.delete(['f/m.jpg'])
        await new Promise((resolve) => setImmediate(resolve))
      }
    })()
    for (let round = 0; round < 10; round++) {
      await Promise.all(versions.map((version) => store.put('f/m.jpg', text(version), jpeg)))
    }
    isDone = true
    await remover
    const seen = (await Promise.all(readers)).flat()
    expect(seen.length).toBeGreaterThan(3)
    expect(seen.filter((one) => one !== null && !versions.includes(one))).toEqual([])
    await store.delete(['f/m.jpg'])
    expect(await everything(root)).toEqual([])
  })

  it.runIf(process.platform === 'linux')(
    'are closed when their reader gives up or has read them',
    async () => {
      const root = await temporaryFolder()
      const store = fileBlobs(root)
      await store.put('f/m.jpg', new Uint8Array(200_000), jpeg)
      const openFiles = async () => {
        const links = await Promise.all(
          (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
        )
        return links.filter((link) => link.startsWith(root)).length
      }
      const opened = await store.open('f/m.jpg')
      expect(await openFiles()).toBe(1)
      await opened!.body.cancel()
      const half = (await store.open('f/m.jpg'))!.body.getReader()
      await half.read()
      await half.cancel()
      await new Response((await store.open('f/m.jpg'))!.body).arrayBuffer()
      await failureOf(store.open('f/m.jpg', { start: 0, end: 200_000 }))
      expect(await openFiles()).toBe(0)
    },
  )
})

describe('a bucket that is bound to a Worker', () => {
  it('one that refuses some blobs deletes the others, with few calls', async () => {
    const names = Array.from({ length: 100 }, (_, n) => `f/${n}.jpg`)
    const there = new Set(names)
    let calls = 0
    const bucket = {
      head: async () => null,
      async delete(keys: string[]) {
        calls++
        if (keys.includes('f/7.jpg') || keys.includes('f/70.jpg')) throw new Error('f/7.jpg is locked')
        for (const key of keys) there.delete(key)
      },
    } as unknown as R2Bucket
    const failures = await r2Blobs(bucket).delete(names)
    expect([...failures.keys()]).toEqual(['f/7.jpg', 'f/70.jpg'])
    expect([...there]).toEqual(['f/7.jpg', 'f/70.jpg'])
    expect(told(failures.get('f/7.jpg'))).not.toContain('f/7')
    expect(calls).toBeLessThan(40)
  })

  it('one that is away is not asked for each blob', async () => {
    let calls = 0
    const fail = async () => {
      calls++
      throw new Error('away')
    }
    const names = Array.from({ length: 100 }, (_, n) => `f/${n}.jpg`)
    const failures = await r2Blobs({ head: fail, delete: fail } as unknown as R2Bucket).delete(names)
    expect([[...failures.keys()], calls]).toEqual([names, 2])
  })
})

describe.skipIf(!hasS3Server)('an S3 store with a checking door', () => {
  const refusals: [what: string, change: Partial<S3Options>, reason: RegExp][] = [
    ['a wrong secret', { secretAccessKey: 'wrong-secret' }, /403 SignatureDoesNotMatch/],
    ['a wrong key id', { accessKeyId: 'wrong-key-id' }, /403 InvalidAccessKeyId/],
    ['a missing bucket', { bucket: 'elsewhere' }, /404 NoSuchBucket/],
  ]

  it.each(refusals)('refuses %s, and no credential is told', async (_, change, reason) => {
    const store = s3Blobs({ ...s3!.options, ...change })
    const key = newKey()
    const attempts = [
      store.put(key, text('body-bytes'), jpeg),
      store.open(key),
      store.read(key),
      deletion(store, key),
    ]
    for (const error of await Promise.all(attempts.map(failureOf))) {
      expect(error).toMatchObject({ code: 'external_failed' })
      expect(told(error)).toMatch(reason)
      for (const secret of ['wrong-secret', 'wrong-key-id', 'S3RVER', 'StringToSign', 'body-bytes', key]) {
        expect(told(error)).not.toContain(secret)
      }
    }
    await expect(store.check()).rejects.toMatchObject({ code: 'external_failed' })
  })
})

describe('an S3 store in trouble', () => {
  async function storeAt(
    handler: (req: IncomingMessage, res: ServerResponse) => void,
    timeoutMs = 2_000,
  ): Promise<BlobStore> {
    const { endpoint, server } = await listen(handler)
    onTestFinished(() => stop(server))
    return s3Blobs({ endpoint, bucket: 'b', region: 'r', accessKeyId: 'i', secretAccessKey: 's', timeoutMs })
  }

  it('an unreachable bucket is not mistaken for a missing blob', async () => {
    const { endpoint, server } = await listen(() => {})
    await stop(server)
    const options = { bucket: 'b', region: 'r', accessKeyId: 'i', secretAccessKey: 's', timeoutMs: 2_000 }
    const store = s3Blobs({ endpoint, ...options })
    const key = newKey()
    const attempts = [
      store.check(),
      store.read(key),
      store.put(key, text('x'), jpeg),
      store.stat(key),
      deletion(store, key),
    ]
    for (const error of await Promise.all(attempts.map(failureOf))) {
      expect(error).toMatchObject({ code: 'external_failed' })
      expect(told(error)).toContain('ECONNREFUSED')
      expect(told(error)).not.toContain(key)
    }
  })

  it('a busy bucket is retried', async () => {
    const methods: string[] = []
    const store = await storeAt((req, res) => {
      methods.push(req.method ?? '')
      req.resume()
      if (methods.length === 1) req.socket.destroy()
      else res.writeHead(methods.length === 2 ? 503 : 200).end()
    })
    await store.put(newKey(), text('x'), jpeg)
    expect(methods).toEqual(['PUT', 'PUT', 'PUT'])
  })

  it('a bucket is given up after the third failure', async () => {
    let calls = 0
    const store = await storeAt((_, res) => {
      calls++
      res.writeHead(500).end('<Error><Code>InternalError</Code></Error>')
    })
    const error = await failureOf(store.read(newKey()))
    expect(told(error)).toContain('500 InternalError')
    expect(calls).toBe(3)
  })

  it('a bucket is given up if it does not answer in time', async () => {
    const store = await storeAt(() => {}, 100)
    const error = await failureOf(store.check())
    expect(error).toMatchObject({ code: 'external_failed' })
    expect(told(error)).toContain('no answer in time')
  })

  it('a stalled body is given up, a slow reader is not', async () => {
    const store = await storeAt((req, res) => {
      res.writeHead(200, { 'Content-Length': 4 }).write('ab')
      if (req.url?.includes('slow')) res.end('cd')
    }, 600)
    const error = await failureOf(store.read('f/stalled.jpg'))
    expect(error).toMatchObject({ code: 'external_failed' })
    expect(told(error)).toContain('GET: the body stalled')
    const opened = await store.open('f/slow.jpg')
    await new Promise((resolve) => setTimeout(resolve, 1000))
    expect(await new Response(opened!.body).text()).toBe('abcd')
  })

  it('a blob that is locked stops no other one from being deleted', async () => {
    const deleted: string[] = []
    const store = await storeAt((req, res) => {
      const key = req.url!.replace('/b/', '')
      if (key.includes('locked')) {
        res.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>')
        return
      }
      deleted.push(key)
      res.writeHead(204).end()
    })
    const keys = Array.from({ length: 20 }, (_, n) => (n % 10 < 9 ? `f/locked${n}.jpg` : `f/${n}.jpg`))
    const failures = await store.delete(keys)
    expect(failures.size).toBe(18)
    expect(told(failures.get('f/locked0.jpg'))).toContain('403 AccessDenied')
    expect(told(failures.get('f/locked0.jpg'))).not.toContain('locked0')
    // An empty key is the bucket itself, which answers: the locked blobs are not the store's failure.
    expect(deleted.filter((key) => key !== '/b')).toEqual(['f/9.jpg', 'f/19.jpg'])
  })

  it('a bucket that does not answer is not asked for each blob', async () => {
    let calls = 0
    const store = await storeAt(() => void calls++, 600)
    const keys = Array.from({ length: 100 }, newKey)
    const startMs = performance.now()
    const failures = await store.delete(keys)
    expect([...failures.keys()]).toEqual(keys)
    expect(told(failures.get(keys[99]!))).toContain('no answer in time')
    expect([calls, performance.now() - startMs < 5000]).toEqual([9, true])
  })

  it('a missing bucket is not mistaken for a missing blob', async () => {
    const store = await storeAt((_, res) => res.writeHead(404).end())
    expect(await failureOf(store.stat(newKey()))).toMatchObject({ code: 'external_failed' })
  })

  it('an interrupted body fails', async () => {
    const store = await storeAt((_, res) => {
      res.writeHead(200, { 'Content-Length': 4 }).write('ab', () => res.destroy())
    })
    expect(await failureOf(store.read(newKey()))).toMatchObject({ code: 'external_failed' })
  })

  it.each<[string, number, Record<string, string>]>([
    ['the whole blob for a range', 200, { 'Content-Length': '4' }],
    ['a range without its size', 206, { 'Content-Range': 'bytes 0-1/*' }],
    ['another range', 206, { 'Content-Range': 'bytes 2-3/4' }],
    ['a redirect', 307, { Location: 'http://127.0.0.1:9/' }],
  ])('a bucket that answers with %s fails', async (_, status, headers) => {
    const store = await storeAt((_req, res) => res.writeHead(status, headers).end('abcd'))
    expect(await failureOf(store.open(newKey(), { start: 0, end: 1 }))).toBeInstanceOf(AppError)
  })

  it.each(['no address', 'ftp://host/', 'http://user:secret@host/', 'http://host/?x=1'])(
    'cannot be at %s',
    (endpoint) => {
      const options = { bucket: 'b', region: 'r', accessKeyId: 'i', secretAccessKey: 's', timeoutMs: 1 }
      expect(() => s3Blobs({ endpoint, ...options })).toThrow(TypeError)
    },
  )
})
