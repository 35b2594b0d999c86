/** Persistent folders: single request, several requests, changes, and removal. */
import { randomBytes } from 'node:crypto'
import { zipSync } from 'fflate'
import { beforeAll, describe, expect, it } from 'vitest'
import { portrait } from '../../fixtures/portraits.ts'
import { keepsFolders } from '../../fixtures/server.ts'
import { zip } from '../../fixtures/zip.ts'
import { file, form, send, url } from '../client.ts'
import {
  call,
  createCompany,
  createUser,
  finished,
  type Signed,
  signInAsAdmin,
  tokenHeader,
  upload,
} from './service.ts'

const noId = '00000000-0000-4000-8000-000000000000'

/** A JPEG with comments behind its first marker; they hardly compress. */
function lengthen(jpeg: Uint8Array, bytesMin: number): Uint8Array {
  const comments: Uint8Array[] = []
  for (let length = jpeg.length; length < bytesMin; length += 65_537)
    comments.push(Uint8Array.of(0xff, 0xfe, 0xff, 0xff), randomBytes(65_533))
  return Buffer.concat([jpeg.subarray(0, 2), ...comments, jpeg.subarray(2)])
}

describe.skipIf(!keepsFolders)('folders', () => {
  let client: Signed
  let manager: Signed
  let admin: Signed
  let redhead: Uint8Array
  let redheadAgain: Uint8Array

  beforeAll(async () => {
    redhead = await portrait('redhead')
    redheadAgain = await portrait('redheadAgain')
    admin = await signInAsAdmin()
    const company = await createCompany(admin.token, 'Folders')
    client = await createUser(admin.token, company, 'CLIENT')
    manager = await createUser(admin.token, company, 'CLIENT_ADMIN')
  })

  const create = async (payload: object = {}, files = [file('photo1', redhead)]) => {
    const { status, json } = await upload(client.token, '/api/folders/', form(files, payload))
    expect(status).toBe(201)
    return json
  }

  it('folders finished in a single request are read back unchanged', async () => {
    const payload = {
      'folder:meta_data': { transaction_id: 'single-1' },
      'media:tags': { photo1: ['photo_selfie'], passport: ['photo_id_front'] },
      analyses: [{ type: 'quality' }, { type: 'biometry', params: { threshold_min: 0.75 } }],
    }
    const files = [file('photo1', redhead), file('passport', redheadAgain)]
    const { status, json } = await upload(client.token, '/api/folders', form(files, payload))
    expect(status).toBe(201)
    expect(json).toMatchObject({
      company_id: client.companyId,
      user_id: client.userId,
      resolution_status: 'FINISHED',
      system_resolution: 'SUCCESS',
      meta_data: { transaction_id: 'single-1' },
    })
    expect(json.analyses.map(({ type }: { type: string }) => type)).toEqual(['QUALITY', 'BIOMETRY'])
    const [image] = json.analyses[0].results_media[0].output_images
    expect(image.image_b64.length).toBeGreaterThan(1000)
    const read = await call(client.token, 'GET', `/api/folders/${json.folder_id}?with_analyses=true`)
    expect(read.json).toEqual({ ...json, time_updated: read.json.time_updated })
    const bare = await call(client.token, 'GET', `/api/folders/${json.folder_id}`)
    expect(bare.json.analyses).toBeUndefined()
    expect(bare.json.media).toEqual(json.media)
  })

  it('folders are created, filled, analysed and polled step by step', async () => {
    const created = await call(client.token, 'POST', '/api/folders/?', undefined)
    expect(created.status).toBe(201)
    expect(created.json).toMatchObject({ resolution_status: 'INITIAL', media: [] })
    const id = created.json.folder_id
    const added = await upload(client.token, `/api/folders/${id}/media`, form([file('media', redhead)]))
    expect(added.status).toBe(201)
    expect(added.json).toHaveLength(1)
    const mediumId = added.json[0].media_id
    const begun = await call(client.token, 'POST', `/api/folders/${id}/analyses/`, {
      analyses: [{ type: 'quality', source_media: [mediumId] }],
    })
    expect(begun.status).toBe(201)
    expect(begun.json[0]).toMatchObject({ state: 'PROCESSING', resolution: 'PROCESSING', results_data: null })
    const analysis = await finished(client.token, begun.json[0].analyse_id)
    expect(analysis).toMatchObject({ state: 'FINISHED', resolution_status: 'SUCCESS' })
    expect(analysis.results_media[0].source_media_id).toBe(mediumId)
    const folder = await call(client.token, 'GET', `/api/folders/${id}/?with_analyses=True&with_user=1`)
    expect(folder.json).toMatchObject({ resolution_status: 'FINISHED', user: { user_id: client.userId } })
    const again = await call(client.token, 'POST', `/api/folders/${id}/analyses/`, {
      analyses: [{ type: 'quality' }],
    })
    const repeated = await finished(client.token, again.json[0].analysis_id)
    expect(repeated.results_data).toEqual(analysis.results_data)
  })

  it('folders end FAILED with the reason if a medium shows no face', async () => {
    const { testCodecs } = await import('../../fixtures/codecs.ts')
    const { ramp } = await import('../../fixtures/pictures.ts')
    const empty = await testCodecs.encodeJpeg({ image: ramp(400, 300), quality: 90 })
    const { folder_id } = await create({}, [file('a', empty)])
    const begun = await call(client.token, 'POST', `/api/folders/${folder_id}/analyses`, {
      analyses: [{ type: 'quality' }],
    })
    const analysis = await finished(client.token, begun.json[0].analysis_id)
    expect(analysis).toMatchObject({ state: 'FAILED', resolution_status: 'FAILED', error_code: 3002 })
    const { json } = await call(client.token, 'GET', `/api/folders/${folder_id}`)
    expect(json.resolution_status).toBe('FAILED')
  })

  it('folders are listed by filters', async () => {
    const tag = `list-${Date.now()}`
    const ids: string[] = []
    for (const n of [1, 2, 3]) ids.push((await create({ 'folder:meta_data': { tag, n } })).folder_id)
    const list = (query: string) => call(client.token, 'GET', `/api/folders/?${query}`)
    const all = await list(`meta_data=tag==${tag}&with_analyses=true&time_created.min=${Date.now() - 60_000}`)
    expect(all.json).toMatchObject({ offset: 0, limit: 100, total_count: 3 })
    expect(all.json.items.map((item: { folder_id: string }) => item.folder_id)).toEqual(ids.toReversed())
    expect(all.json.items[0].analyses).toEqual([])
    const page = await list(
      `meta_data=tag==${tag}&sorting=time_created{asc}&limit=1&offset=1&total_omit=true`,
    )
    expect(page.json).toMatchObject({ offset: 1, limit: 1, total_count: null })
    expect(page.json.items[0].folder_id).toBe(ids[1])
    expect((await list(`meta_data=tag==${tag},n>=2`)).json.total_count).toBe(2)
    expect((await list(`meta_data=tag==${tag}&resolution_status.exclude=INITIAL`)).json.total_count).toBe(0)
    expect((await list('limit=5001')).json.error_code).toBe(4)
    expect((await list('time_created.min=soon')).json.error_code).toBe(5)
  })

  it('folders in lists are like folders read alone', async () => {
    const { folder_id, media } = await create({ analyses: [{ type: 'quality' }] })
    const { json: alone } = await call(client.token, 'GET', `/api/folders/${folder_id}`)
    const list = async (query: string) =>
      (await call(client.token, 'GET', `/api/folders/?folder_id=${folder_id}&${query}`)).json.items[0]
    expect(alone.resolution_state_hash).not.toBeNull()
    expect(alone.group_id).not.toBeNull()
    expect(await list('')).toEqual(alone)
    const { analyses, ...rest } = await list('with_analyses=true&with_media=false')
    expect([analyses.length, rest.media, rest.group_id]).toEqual([1, undefined, alone.group_id])
    const small = await list('with_media=false&is_cleared=null')
    expect({ ...small, media }).toEqual({ ...alone, time_updated: small.time_updated })
    expect(await list('is_cleared=true')).toBeUndefined()
    expect(await list('is_cleared.exclude=null')).toBeUndefined()
  })

  it('folders can be filtered by scores', async () => {
    const { folder_id } = await create({ analyses: [{ type: 'quality' }] })
    const list = async (query: string) => {
      const { json } = await call(client.token, 'GET', `/api/folders/?folder_id=${folder_id}&${query}`)
      return json.total_count
    }
    const switched = 'with_results_media_filter=True'
    expect(await list(`results_media_results_data=confidence_spoofing<0.5&${switched}`)).toBe(1)
    expect(await list(`results_media_results_data=confidence_spoofing>0.5&${switched}`)).toBe(0)
    expect(await list('results_media_results_data=confidence_spoofing>0.5')).toBe(1)
    expect(await list('results_data=max_confidence>0.1')).toBe(0)
    expect(await list('analyse.type=quality&analyse.resolution_status=success')).toBe(1)
  })

  it('files of folders are served under the links in answers', async () => {
    const { media } = await create()
    for (const link of [media[0].original_url, media[0].thumb_url]) {
      const path = new URL(link).pathname
      const { status, headers } = await send(path)
      expect([status, headers.get('content-type')]).toEqual([200, 'image/jpeg'])
      const part = await send(path, { headers: { Range: 'bytes=0-9' } })
      expect([part.status, part.headers.get('content-range')?.startsWith('bytes 0-9/')]).toEqual([206, true])
    }
    expect((await send(`/static/${noId}/${noId}.jpg`)).status).toBe(404)
  })

  it('frames of archives are served under the links in answers, whole and in part', async () => {
    const shots = zip({ 'b.jpg': redheadAgain, 'a.jpg': redhead }, 6)
    const archive = file('clip', shots, { filename: 'a.zip', type: 'application/zip' })
    const { analyses } = await create({ analyses: [{ type: 'quality' }] }, [archive])
    const links = analyses[0].source_media[0].images.map(
      ({ original_url }: { original_url: string }) => new URL(original_url).pathname,
    )
    const ask = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
      const response = await fetch(`${url}${path}`, { method, headers })
      return { response, bytes: Buffer.from(await response.arrayBuffer()) }
    }
    const told = ({ headers }: Response) =>
      ['content-type', 'content-length', 'etag'].map((name) => headers.get(name))
    for (const [index, picture] of [redhead, redheadAgain].entries()) {
      const { response, bytes } = await ask(links[index])
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/jpeg'])
      expect(bytes.equals(picture)).toBe(true)
      const head = await ask(links[index], {}, 'HEAD')
      expect([head.response.status, head.bytes.length, told(head.response)]).toEqual([200, 0, told(response)])
      const tag = response.headers.get('etag')!
      const same = await ask(links[index], { 'If-None-Match': tag })
      expect([same.response.status, same.bytes.length]).toEqual([304, 0])
      const part = await ask(links[index], { Range: 'bytes=5000-' })
      expect([part.response.status, part.response.headers.get('content-range')]).toEqual([
        206,
        `bytes 5000-${picture.length - 1}/${picture.length}`,
      ])
      expect(part.bytes.equals(picture.subarray(5000))).toBe(true)
      expect((await ask(links[index], { Range: `bytes=${picture.length}-` })).response.status).toBe(416)
    }
    const unknown = links[0].replace('_frame0', '_frame2')
    expect(links).toHaveLength(2)
    for (const headers of [{}, { 'If-None-Match': '*' }, { Range: 'bytes=0-1' }])
      expect((await ask(unknown, headers)).response.status).toBe(404)
    const many = await Promise.all(Array.from({ length: 40 }, (_, i) => ask(links[i % 2])))
    for (const [i, { bytes }] of many.entries())
      expect(bytes.length).toBe([redhead, redheadAgain][i % 2]!.length)
  })

  it('large frames are streamed byte for byte, stored or deflated, whole and in part', async () => {
    const stored = lengthen(redhead, 1.2 * 2 ** 20)
    const deflated = lengthen(redheadAgain, 1.3 * 2 ** 20)
    const archive = zipSync({ 'a.jpg': [stored, { level: 0 }], 'b.jpg': [deflated, { level: 6 }] })
    const { analyses } = await create({ analyses: [{ type: 'quality' }] }, [
      file('clip', archive, { filename: 'a.zip', type: 'application/zip' }),
    ])
    const links: string[] = analyses[0].source_media[0].images.map(
      ({ original_url }: { original_url: string }) => new URL(original_url).pathname,
    )
    const ask = async (index: number, headers: Record<string, string> = {}, method = 'GET') => {
      const response = await fetch(`${url}${links[index]}`, { method, headers })
      const bytes = Buffer.from(await response.arrayBuffer())
      // Some runtimes send no length with a stream.
      const length = Number(response.headers.get('content-length') ?? bytes.length)
      const told = [response.headers.get('content-type'), length, response.headers.get('content-range')]
      return { status: response.status, told, bytes }
    }
    for (const [index, picture] of [stored, deflated].entries()) {
      const size = picture.length
      const whole = await ask(index)
      expect([whole.status, whole.told]).toEqual([200, ['image/jpeg', size, null]])
      expect(whole.bytes.equals(picture)).toBe(true)
      const head = await ask(index, {}, 'HEAD')
      expect([head.status, head.told, head.bytes.length]).toEqual([200, whole.told, 0])
      for (const [start, end] of [
        [1, size - 1],
        [size - 70_000, size - 2],
        [size - 1, size - 1],
      ] as const) {
        const part = await ask(index, { Range: `bytes=${start}-${end}` })
        const range = `bytes ${start}-${end}/${size}`
        expect([part.status, part.told]).toEqual([206, ['image/jpeg', end - start + 1, range]])
        expect(part.bytes.equals(picture.subarray(start, end + 1))).toBe(true)
      }
      // Who leaves in the middle does not keep others waiting.
      const left = await fetch(`${url}${links[index]}`)
      await left.body!.cancel()
      expect((await ask(index)).bytes.equals(picture)).toBe(true)
    }
  })

  it('media have a snapshot, which is made when it is first read', async () => {
    const { media } = await create()
    const path = `/api/media/${media[0].media_id}/snapshot/`
    const read = await call(client.token, 'GET', path)
    expect(read.status).toBe(200)
    const made = await call(client.token, 'POST', path)
    expect([made.status, made.json]).toEqual([201, read.json])
    const again = await call(client.token, 'GET', `/api/media/${media[0].media_id}`)
    expect(again.json.time_updated).toBe(media[0].time_updated)
    const picture = await send(new URL(made.json.original_url).pathname)
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/jpeg'])
  })

  it('folders return their artifacts as a ZIP', async () => {
    const { folder_id } = await create({ analyses: [{ type: 'quality' }] })
    const response = await send(`/api/folders/${folder_id}/artifacts`, { headers: tokenHeader(client.token) })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-disposition')).toMatch(
      new RegExp(`artifacts_${folder_id}_${client.companyId}_\\d{4}-\\d{2}-\\d{2}\\.zip`),
    )
    for (const name of ['folder.json', '_thumb.jpg', '_best.jpg']) expect(response.text).toContain(name)
  })

  it('metadata of folders is read, added to, patched and removed', async () => {
    const { folder_id, media } = await create({ 'folder:meta_data': { a: 1, b: { c: 'x' } } })
    const path = `/api/folders/${folder_id}/meta_data/`
    expect((await call(client.token, 'GET', path)).json).toEqual({ a: 1, b: { c: 'x' } })
    expect((await call(client.token, 'POST', path, { d: 2 })).json).toEqual({ a: 1, b: { c: 'x' }, d: 2 })
    expect((await call(client.token, 'PATCH', path, { a: null, d: 3 })).json).toEqual({ b: { c: 'x' }, d: 3 })
    const found = await call(client.token, 'GET', `/api/folders/?folder_id=${folder_id}&meta_data=d==3`)
    expect(found.json.total_count).toBe(1)
    expect((await call(client.token, 'DELETE', path)).status).toBe(204)
    expect((await call(client.token, 'GET', path)).json).toEqual({})
    const medium = `/api/media/${media[0].media_id}/meta_data`
    expect((await call(client.token, 'PATCH', medium, { seen: true })).json).toEqual({ seen: true })
  })

  it('metadata of folders is limited in size', async () => {
    const { folder_id } = await create()
    const path = `/api/folders/${folder_id}/meta_data`
    const half = 'x'.repeat(200_000)
    expect((await call(client.token, 'POST', path, { a: half })).status).toBe(200)
    for (const method of ['POST', 'PATCH']) {
      const { status, json } = await call(client.token, method, path, { b: half })
      expect([status, json.error_code]).toEqual([400, 4])
    }
    expect((await call(client.token, 'PATCH', path, { a: null, b: half })).status).toBe(200)
  })

  it('folders are listed completely, however large their metadata', async () => {
    const own = await createUser(admin.token, await createCompany(admin.token, 'Much'), 'CLIENT')
    const large = { text: 'x'.repeat(200_000), list: Array.from({ length: 900 }, (_, i) => ({ i })) }
    for (let n = 0; n < 8; n++)
      await upload(own.token, '/api/folders/', form([], { 'folder:meta_data': { ...large, n } }))
    const { status, json } = await call(own.token, 'GET', '/api/folders/?limit=-1&with_analyses=true')
    expect([status, json.total_count, json.limit]).toEqual([200, 8, -1])
    expect(json.items.map(({ meta_data }: { meta_data: { n: number } }) => meta_data.n)).toEqual([
      7, 6, 5, 4, 3, 2, 1, 0,
    ])
    expect(json.items[3].meta_data).toEqual({ ...large, n: 4 })
  })

  it('folders show their user only to callers who may read that user', async () => {
    const { folder_id } = await create()
    const service = await createUser(admin.token, client.companyId, 'CLIENT_SERVICE')
    const seen = async (token: string, path: string) => {
      const { json } = await call(token, 'GET', `/api/folders/${path}with_user=true&with_company=true`)
      return (json.items?.[0] ?? json).user?.user_id
    }
    for (const path of [`${folder_id}?`, `?folder_id=${folder_id}&`]) {
      expect(await seen(manager.token, path)).toBe(client.userId)
      expect(await seen(client.token, path)).toBe(client.userId)
      expect(await seen(service.token, path)).toBeUndefined()
    }
  })

  it('lists of folders accept at most three searches, and no inherited names', async () => {
    const list = (query: string) => call(client.token, 'GET', `/api/folders/?${query}`)
    expect((await list('search_text=a&search_text=b&search_text=c')).status).toBe(200)
    expect((await list('search_text=a&search_text=b&search_text=c&search_text=d')).json.error_code).toBe(4)
    for (const name of ['__proto__', 'constructor', 'toString'])
      expect((await list(`results_data=${name}==1`)).json).toMatchObject({ total_count: 0 })
  })

  it('folders lose all personal data on request, and accept nothing new', async () => {
    const payload = { 'folder:meta_data': { who: 'x' }, analyses: [{ type: 'quality' }] }
    const { folder_id, media } = await create(payload)
    const remove = (token: string) => call(token, 'DELETE', `/api/folders/${folder_id}/pi/`)
    expect((await remove(client.token)).status).toBe(403)
    expect((await remove(manager.token)).status).toBe(204)
    const { json } = await call(client.token, 'GET', `/api/folders/${folder_id}?with_analyses=true`)
    expect(json).toMatchObject({ is_cleared: true, meta_data: {}, media: [] })
    expect(json.analyses).toMatchObject([
      { type: 'QUALITY', resolution_status: 'SUCCESS', results_media: [] },
    ])
    expect((await send(new URL(media[0].original_url).pathname)).status).toBe(404)
    expect((await send(new URL(media[0].thumb_url).pathname)).status).toBe(404)
    const added = await upload(client.token, `/api/folders/${folder_id}/media`, form([file('m', redhead)]))
    expect([added.status, added.json.error_code]).toEqual([400, 221])
  })

  it('folders are removed with all their content', async () => {
    const { folder_id, media } = await create()
    expect((await call(client.token, 'DELETE', `/api/folders/${folder_id}`)).status).toBe(403)
    expect((await call(manager.token, 'DELETE', `/api/folders/${folder_id}`)).status).toBe(204)
    expect((await call(manager.token, 'GET', `/api/folders/${folder_id}`)).json.error_code).toBe(10)
    expect((await call(manager.token, 'GET', `/api/media/${media[0].media_id}`)).status).toBe(404)
    expect((await send(new URL(media[0].original_url).pathname)).status).toBe(404)
  })

  it('folders refuse invalid requests', async () => {
    const { folder_id, media } = await create()
    const start = (analyses: unknown) =>
      call(client.token, 'POST', `/api/folders/${folder_id}/analyses`, { analyses })
    const codes = async (answer: ReturnType<typeof start>) => {
      const { status, json } = await answer
      return [status, json.error_code]
    }
    expect(await codes(start([{ type: 'biometry' }]))).toEqual([400, 4])
    expect(await codes(start([{ type: 'quality', source_media: [noId] }]))).toEqual([400, 4])
    expect(await codes(start([{ type: 'palm' }]))).toEqual([400, 4])
    expect(await codes(start([]))).toEqual([400, 4])
    expect(await codes(call(client.token, 'POST', `/api/folders/${folder_id}/analyses`, {}))).toEqual([
      400, 3,
    ])
    expect(await codes(call(client.token, 'GET', '/api/folders/no-id'))).toEqual([404, 10])
    expect(
      await codes(call(client.token, 'PATCH', `/api/media/${media[0].media_id}`, { tags: 'x' })),
    ).toEqual([400, 5])
    const endpoint = { resolution_endpoint: 'ftp://example.com/' }
    expect(await codes(upload(client.token, '/api/folders', form([file('a', redhead)], endpoint)))).toEqual([
      400, 4,
    ])
    expect(await codes(upload(client.token, `/api/folders/${folder_id}/media`, form([])))).toEqual([400, 4])
  })
})
