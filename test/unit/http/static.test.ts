import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { asAppError, errorAnswer } from '../../../src/contract/error-table.ts'
import { AppError } from '../../../src/errors.ts'
import type { AppEnv } from '../../../src/http/app-env.ts'
import { replyError } from '../../../src/http/reply.ts'
import { parseRange, type StaticDeps, staticRoutes } from '../../../src/http/static.ts'
import { shotKinds } from '../../../src/records/medium.ts'
import type { BlobStore, OpenedBlob } from '../../../src/storage/blobs/blob-store.ts'
import { memoryBlobs } from '../../../src/storage/blobs/memory-blobs.ts'

const folder = '5f0c1d5e-7a55-4d0e-9f35-3f9c7f6a1b11'
const medium = '0b9a2c44-41c3-4f7b-8a34-2d3de0f5a922'
const video = `${folder}/${medium}.mp4`
const content = '0123456789'

/** Counts blobs that are opened, and bodies that were neither read to their end nor cancelled. */
function watched(blobs: BlobStore): BlobStore & { opened: number; unfinished: number } {
  const store = {
    ...blobs,
    opened: 0,
    unfinished: 0,
    async open(...args: Parameters<BlobStore['open']>): Promise<OpenedBlob | null> {
      store.opened++
      const opened = await blobs.open(...args)
      if (!opened) return null
      store.unfinished++
      const reader = opened.body.getReader()
      const finish = () => {
        store.unfinished--
      }
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          const { done, value } = await reader.read()
          if (!done) return controller.enqueue(value)
          finish()
          controller.close()
        },
        cancel: finish,
      })
      return { ...opened, body }
    },
  }
  return store
}

const shots = shotKinds.flatMap((kind) => [kind, `${kind}_thumb`])

async function staticApp(mayRead: StaticDeps['mayRead'] = null) {
  const memory = memoryBlobs()
  const bytes = new TextEncoder().encode(content)
  await memory.put(video, bytes, 'video/mp4')
  for (const kind of ['thumb', ...shots])
    await memory.put(`${folder}/${medium}_${kind}.jpg`, bytes, 'image/jpeg')
  await memory.put(`${folder}/other.jpg`, bytes, 'image/jpeg')
  await memory.put(`${folder}/${medium}_template.bin`, bytes, 'application/octet-stream')
  await memory.put('secret/keys.json', bytes, 'application/json')
  const blobs = watched(memory)
  const app = new Hono<AppEnv>({ strict: false }).route(
    '/static',
    staticRoutes({ files: blobs, callOf: () => ({}), mayRead }),
  )
  app.onError((error, c) => replyError(c, errorAnswer(asAppError(error)), asAppError(error)))
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    app.request(`/static/${path}`, { method, headers })
  return { ask, blobs }
}

const errorCodeOf = async (response: Response): Promise<unknown> =>
  ((await response.json()) as { error_code: unknown }).error_code

describe('the static routes', () => {
  it('answers with a blob, its type and its caching rule', async () => {
    const { ask, blobs } = await staticApp()
    const response = await ask(video)
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toEqual({
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-store',
      'content-disposition': 'inline',
      'content-length': '10',
      'content-type': 'video/mp4',
      etag: `"${medium}.mp4"`,
      'x-content-type-options': 'nosniff',
    })
    expect(await response.text()).toBe(content)
    expect(blobs.unfinished).toBe(0)
  })

  it('streams a large blob', async () => {
    const { ask, blobs } = await staticApp()
    const key = `${folder}/${medium}_preview.mp4`
    await blobs.put(key, new Uint8Array(2 ** 20 + 1).fill(7), 'video/mp4')
    const response = await ask(key)
    expect(response.headers.get('Content-Length')).toBe(String(2 ** 20 + 1))
    expect(blobs.unfinished).toBe(1)
    expect((await response.arrayBuffer()).byteLength).toBe(2 ** 20 + 1)
    expect(blobs.unfinished).toBe(0)
  })

  it('answers HEAD like GET, without the body', async () => {
    const { ask, blobs } = await staticApp()
    const response = await ask(video, { Range: 'bytes=0-1' }, 'HEAD')
    expect([response.status, response.headers.get('Content-Length')]).toEqual([200, '10'])
    expect(await response.text()).toBe('')
    expect(blobs.unfinished).toBe(0)
  })

  it.each<[asks: string, method: string, headers: Record<string, string>, opened: number]>([
    ['the whole blob', 'GET', {}, 1],
    ['its head', 'HEAD', {}, 0],
    ['a part', 'GET', { Range: 'bytes=0-1' }, 1],
    ['the whole by a range that does not apply', 'GET', { Range: 'bytes=0-1', 'If-Range': '"other"' }, 1],
    ['a part outside', 'GET', { Range: 'bytes=10-' }, 0],
    ['nothing, since the caller has it', 'GET', { 'If-None-Match': '*' }, 0],
  ])('opens a blob only to send it: a request for %s', async (_, method, headers, opened) => {
    const { ask, blobs } = await staticApp()
    await (await ask(video, headers, method)).arrayBuffer()
    expect([blobs.opened, blobs.unfinished]).toEqual([opened, 0])
  })

  it.each(['frame0', 'frame119'])('serves frames of archives: %s', async (name) => {
    const { ask, blobs } = await staticApp()
    const key = `${folder}/${medium}_${name}.jpg`
    await blobs.put(key, Uint8Array.of(1), 'image/jpeg')
    expect((await ask(key)).status).toBe(200)
    expect((await ask(`${folder}/${medium}_frame1000.jpg`)).status).toBe(404)
  })

  it.each(shots)('serves pictures that were made of a medium: %s', async (kind) => {
    const { ask } = await staticApp()
    expect((await ask(`${folder}/${medium}_${kind}.jpg`)).status).toBe(200)
  })

  it('serves thumbnails, and gives each name its own tag', async () => {
    const { ask } = await staticApp()
    const response = await ask(`${folder}/${medium}_thumb.jpg`)
    expect(response.headers.get('Content-Type')).toBe('image/jpeg')
    expect(response.headers.get('ETag')).not.toBe((await ask(video)).headers.get('ETag'))
  })

  it.each([`"${medium}.mp4"`, `"other", W/"${medium}.mp4"`, '*'])(
    'answers 304 to a caller who has %s',
    async (tags) => {
      const { ask, blobs } = await staticApp()
      const response = await ask(video, { 'If-None-Match': tags, Range: 'bytes=0-1' })
      expect(response.status).toBe(304)
      expect(response.headers.get('ETag')).toBe(`"${medium}.mp4"`)
      expect(await response.text()).toBe('')
      expect(blobs.unfinished).toBe(0)
    },
  )

  it('answers with the blob if the entity tag differs', async () => {
    const { ask } = await staticApp()
    expect((await ask(video, { 'If-None-Match': '"other", "mp4"' })).status).toBe(200)
  })

  it('answers 404 for a deleted blob, even with a matching entity tag', async () => {
    const { ask, blobs } = await staticApp()
    await blobs.delete([video])
    const response = await ask(video, { 'If-None-Match': '*' })
    expect([response.status, await errorCodeOf(response)]).toEqual([404, 10])
    expect(response.headers.get('Cache-Control')).toBeNull()
  })

  it.each([
    ['a missing blob', `${folder}/${folder}.mp4`],
    ['a file that is no medium', `${folder}/other.jpg`],
    ['an unknown kind of file', `${folder}/${medium}_template.bin`],
    ['a folder that is none', 'secret/keys.json'],
    ['no extension', `${folder}/${medium}`],
    ['two extensions', `${folder}/${medium}.tar.zip`],
    ['a way out', `${folder}/..%2f..%2fsecret%2fkeys.json`],
    ['a way out above', `..%2f${folder}/${medium}.mp4`],
    ['a null byte', `${folder}/${medium}.mp4%00.jpg`],
    ['a line end', `${folder}/${medium}.mp4%0a`],
    ['a broken escape', `${folder}/%ff`],
    ['capitals', `${folder}/${medium.toUpperCase()}.mp4`],
  ])('answers 404 for %s', async (_, path) => {
    const { ask, blobs } = await staticApp()
    const response = await ask(path)
    expect([response.status, await errorCodeOf(response)]).toEqual([404, 10])
    expect(blobs.unfinished).toBe(0)
  })

  it('refuses callers without permission, and forbids shared caches', async () => {
    const { ask, blobs } = await staticApp(async (c, folderId) => {
      if (c.req.header('X-Forensic-Access-Token') !== folderId) throw new AppError('token_missing')
    })
    const refused = await ask(video, { 'If-None-Match': '*' })
    expect([refused.status, await errorCodeOf(refused)]).toEqual([401, 6])
    const response = await ask(video, { 'X-Forensic-Access-Token': folder })
    expect([response.status, await response.text()]).toEqual([200, content])
    expect(response.headers.get('Cache-Control')).toBe('private, no-store')
    expect(blobs.unfinished).toBe(0)
  })
})

describe('a part of a blob', () => {
  it.each([
    ['bytes=0-0', '0', 'bytes 0-0/10'],
    ['bytes=2-4', '234', 'bytes 2-4/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=-3', '789', 'bytes 7-9/10'],
    ['bytes=8-99', '89', 'bytes 8-9/10'],
    ['bytes=-99', content, 'bytes 0-9/10'],
  ])('a range request answers %s', async (range, expected, told) => {
    const { ask, blobs } = await staticApp()
    const response = await ask(video, { Range: range })
    expect(response.status).toBe(206)
    expect(response.headers.get('Content-Range')).toBe(told)
    expect(response.headers.get('Content-Length')).toBe(String(expected.length))
    expect(response.headers.get('Content-Type')).toBe('video/mp4')
    expect(await response.text()).toBe(expected)
    expect(blobs.unfinished).toBe(0)
  })

  it.each(['bytes=10-', 'bytes=10-12', 'bytes=-0'])('cannot be %s', async (range) => {
    const { ask, blobs } = await staticApp()
    const response = await ask(video, { Range: range })
    expect([response.status, await errorCodeOf(response)]).toEqual([416, 16])
    expect(response.headers.get('Content-Range')).toBe('bytes */10')
    expect(response.headers.get('Cache-Control')).toBeNull()
    expect(blobs.unfinished).toBe(0)
  })

  it.each([
    'bytes=4-2',
    'bytes=-',
    'bytes=0-1,3-4',
    'bytes=a-b',
    'bytes=1.5-2',
    'bytes 0-1',
    'items=0-1',
    'bytes=--1',
  ])('ignores the range header %s', async (range) => {
    const { ask } = await staticApp()
    const response = await ask(video, { Range: range })
    expect([response.status, await response.text()]).toEqual([200, content])
  })

  it('If-Range limits a range to the blob that the caller has', async () => {
    const { ask } = await staticApp()
    const asked = (tag: string) => ask(video, { Range: 'bytes=0-1', 'If-Range': tag })
    expect((await asked(`"${medium}.mp4"`)).status).toBe(206)
    expect((await asked(`W/"${medium}.mp4"`)).status).toBe(200)
    expect((await asked('Wed, 21 Oct 2015 07:28:00 GMT')).status).toBe(200)
  })

  it('no range of an empty blob is satisfiable', () => {
    expect(['bytes=0-', 'bytes=-1', 'bytes=0-0'].map((header) => parseRange(header, 0))).toEqual([
      'unsatisfiable',
      'unsatisfiable',
      'unsatisfiable',
    ])
  })

  it.each([9, 11])(
    'a blob of %i bytes that should have 10 is no answer, and is cancelled',
    async (length) => {
      let isCancelled = false
      const body = new ReadableStream<Uint8Array>(
        {
          start: (controller) => controller.enqueue(new Uint8Array(length)),
          pull: (controller) => controller.close(),
          cancel() {
            isCancelled = true
          },
        },
        { highWaterMark: 0 },
      )
      const files = {
        open: async () => ({ body, size: 10, mimeType: 'video/mp4' }),
        stat: async () => null,
      }
      const app = new Hono<AppEnv>().route(
        '/static',
        staticRoutes({ files, callOf: () => ({}), mayRead: null }),
      )
      app.onError((error, c) => c.text(asAppError(error).code, 502))
      const answer = await app.request(`/static/${video}`)
      expect(await answer.text()).toBe('external_failed')
      expect(isCancelled).toBe(length > 10)
    },
  )

  it('answers 404 if the blob is deleted between size and range', async () => {
    const { blobs } = await staticApp()
    const goneSoon: BlobStore = { ...blobs, open: async () => null }
    const app = new Hono<AppEnv>().route(
      '/static',
      staticRoutes({ files: goneSoon, callOf: () => ({}), mayRead: null }),
    )
    app.onError((error, c) => replyError(c, errorAnswer(asAppError(error)), asAppError(error)))
    const response = await app.request(`/static/${video}`, { headers: { Range: 'bytes=0-1' } })
    expect(response.status).toBe(404)
    expect(response.headers.get('Content-Range')).toBeNull()
  })
})
