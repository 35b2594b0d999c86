/** Collections: persons are enrolled, found on other photos and in clips, and no longer found after removal. */
import { beforeAll, describe, expect, it } from 'vitest'
import { hasFfmpeg, remake } from '../../fixtures/clips.ts'
import { testCodecs } from '../../fixtures/codecs.ts'
import { group } from '../../fixtures/packages.ts'
import { ramp } from '../../fixtures/pictures.ts'
import { type PortraitName, portrait } from '../../fixtures/portraits.ts'
import { keepsFolders } from '../../fixtures/server.ts'
import { type Answer, type FilePart, file, form, send } from '../client.ts'
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
const names = ['redhead', 'redheadAgain', 'brunette', 'longHair', 'smiling'] as const

describe.skipIf(!keepsFolders)('collections', () => {
  let admin: Signed
  let manager: Signed
  let client: Signed
  let stranger: Signed
  let empty: Uint8Array
  const photos = {} as Record<PortraitName, Uint8Array>

  beforeAll(async () => {
    for (const name of names) photos[name] = await portrait(name)
    empty = await testCodecs.encodeJpeg({ image: ramp(320, 240), quality: 80 })
    admin = await signInAsAdmin()
    const company = await createCompany(admin.token, 'Collections')
    manager = await createUser(admin.token, company, 'CLIENT_ADMIN')
    client = await createUser(admin.token, company, 'CLIENT')
    const elsewhere = await createCompany(admin.token, 'Collections elsewhere')
    stranger = await createUser(admin.token, elsewhere, 'CLIENT_ADMIN')
  })

  let counter = 0
  const create = async (owner = manager, body: object = {}): Promise<string> => {
    const alias = `list ${++counter}`
    const { status, json } = await call(owner.token, 'POST', '/api/collections/', { alias, ...body })
    expect(status).toBe(201)
    return json.collection_id
  }

  const person = (
    collection: string,
    files: FilePart[],
    payload: object = {},
    owner = manager,
  ): Promise<Answer> => upload(owner.token, `/api/collections/${collection}/persons/`, form(files, payload))

  const enrol = async (collection: string, name: PortraitName, owner = manager): Promise<string> => {
    const { status, json } = await person(collection, [file('photo', photos[name])], {}, owner)
    expect(status).toBe(201)
    return json.person_id
  }

  const check = (files: FilePart[], params: object, owner = client): Promise<Answer> =>
    upload(owner.token, '/api/folders/', form(files, { analyses: [{ type: 'collection', params }] }))

  /** The decision on one medium, and the persons found. */
  const look = async (bytes: Uint8Array, params: object, part: Partial<FilePart> = {}) => {
    const { status, json, text } = await check([file('probe', bytes, part)], params)
    expect([status, text.slice(0, 300)]).toEqual([201, expect.anything()])
    const [analysis] = json.analyses
    return {
      analysis,
      verdict: analysis.resolution_status,
      hits: analysis.results_media[0].collection_persons,
    }
  }

  it('collections are created, listed, shown and removed', async () => {
    const alias = 'blacklist'
    const made = await call(manager.token, 'POST', '/api/collections/', { alias, meta_data: { a: 1 } })
    expect([made.status, made.json]).toEqual([
      201,
      {
        collection_id: expect.any(String),
        company_id: manager.companyId,
        alias,
        meta_data: { a: 1 },
        technical_meta_data: {},
        time_created: expect.any(Number),
        time_updated: expect.any(Number),
      },
    ])
    const path = `/api/collections/${made.json.collection_id}`
    const again = await call(manager.token, 'POST', '/api/collections/', { alias })
    expect([again.status, again.json.error_code]).toEqual([400, 13])
    // Another company may use the same alias.
    const elsewhere = await create(stranger, { alias })
    const listed = await call(client.token, 'GET', '/api/collections')
    expect(listed.json).toContainEqual(made.json)
    expect(listed.json.map((item: Answer['json']) => item.collection_id)).not.toContain(elsewhere)
    const named = await call(client.token, 'GET', `/api/collections?alias=${alias}&sorting=alias{asc}`)
    expect(named.json).toEqual([made.json])
    const rest = await call(client.token, 'GET', '/api/collections?limit=-1&offset=1')
    const all = await call(client.token, 'GET', '/api/collections?limit=-1')
    expect([rest.status, rest.json]).toEqual([200, all.json.slice(1)])
    const rate = (templates: number, threshold: number, share: number) => ({
      templates,
      decision_threshold: expect.closeTo(threshold, 3),
      false_hits: expect.closeTo(share, 2),
    })
    const search = [
      ...[rate(0, 0.85, 0), rate(100, 0.85, 0.1)],
      ...[rate(1000, 0.934, 0.1), rate(10_000, 0.973, 0.1), rate(100_000, 0.989, 0.1)],
    ]
    const shown = { ...made.json, technical_meta_data: { search } }
    expect((await call(client.token, 'GET', path)).json).toEqual(shown)
    expect((await call(stranger.token, 'GET', path)).status).toBe(404)
    expect((await call(manager.token, 'PATCH', path, { alias: 'other' })).json.error_code).toBe(1)
    expect((await call(manager.token, 'PATCH', `${path}/meta_data/`, { a: null, b: 2 })).json).toEqual({
      b: 2,
    })
    expect((await call(manager.token, 'DELETE', path)).status).toBe(204)
    expect((await call(manager.token, 'GET', path)).status).toBe(404)
    // The alias is free again.
    await call(manager.token, 'DELETE', `/api/collections/${await create(manager, { alias })}`)
  })

  it('collection requests with invalid bodies are refused', async () => {
    const make = (body: object, owner = manager) => call(owner.token, 'POST', '/api/collections', body)
    expect((await make({})).json).toMatchObject({ error_code: 3, error_details: { key_path: 'alias' } })
    expect((await make({ alias: '  ' })).json.error_code).toBe(4)
    expect((await make({ alias: 7 })).json.error_code).toBe(5)
    for (const alias of ['\ud800', 'a\u0000b']) expect((await make({ alias })).json.error_code).toBe(4)
    const meta_data = { text: 'x'.repeat(300_000) }
    expect((await make({ alias: 'long', meta_data })).json.error_code).toBe(4)
    expect((await make({ alias: 'mine', company_id: stranger.companyId })).status).toBe(403)
    expect((await make({ alias: 'mine' }, client)).status).toBe(403)
    const made = await make({ alias: 'theirs', company_id: stranger.companyId }, admin)
    expect([made.status, made.json.company_id]).toEqual([201, stranger.companyId])
    expect((await make({ alias: 'nobody', company_id: noId }, admin)).json.error_code).toBe(4)
  })

  it('collections hold persons with several photos', async () => {
    const collection = await create()
    const payload = {
      'media:tags': { one: ['photo_selfie', 'orientation_portrait'] },
      'media:meta_data': { one: { source: 'desk' } },
      'person:meta_data': { person_info: { first_name: 'Ada', last_name: 'Lovelace' } },
    }
    const files = [file('one', photos.redhead), file('two', photos.redheadAgain)]
    const made = await person(collection, files, payload)
    expect(made.status).toBe(201)
    expect(made.json).toMatchObject({
      collection_id: collection,
      company_id: manager.companyId,
      meta_data: payload['person:meta_data'],
      images: [
        { tags: payload['media:tags'].one, meta_data: { source: 'desk' }, original_name: 'one.jpg' },
        { tags: [], original_name: 'two.jpg' },
      ],
    })
    const path = `/api/collections/${collection}/persons/${made.json.person_id}`
    expect((await call(client.token, 'GET', path)).json).toEqual(made.json)
    expect((await call(client.token, 'GET', `/api/collections/${collection}/persons/`)).json).toEqual([
      made.json,
    ])
    const search = async (text: string) =>
      (await call(client.token, 'GET', `/api/collections/${collection}/persons?search_text=${text}`)).json
    for (const text of ['lovelace', 'Ada', made.json.person_id.slice(0, 13)])
      expect(await search(text)).toEqual([made.json])
    expect([await search('Babbage'), await search('%25')]).toEqual([[], []])
    const asked = `/api/collections/${collection}/persons?search_text=Ada`
    expect((await call(stranger.token, 'GET', asked)).status).toBe(404)
    const images = await call(client.token, 'GET', `${path}/images/`)
    expect(images.json).toEqual(made.json.images)
    const [image] = images.json
    expect(image).toMatchObject({
      person_image_id: image.media_id,
      person_id: made.json.person_id,
      media_type: expect.stringMatching(/^IMAGE/),
      info: { original: { size: photos.redhead.length, 'mime-type': 'image/jpeg' } },
    })
    const link = new URL(image.original_url).pathname
    const original = await send(link)
    expect([original.status, original.headers.get('Content-Type')]).toEqual([200, 'image/jpeg'])

    const third = await upload(manager.token, `${path}/images/`, form([file('three', photos.redhead)], {}))
    expect([third.status, third.json.length]).toEqual([201, 1])
    const thirdId = third.json[0].person_image_id
    expect((await call(stranger.token, 'DELETE', `${path}/images/${thirdId}/`)).status).toBe(404)
    expect((await call(manager.token, 'DELETE', `${path}/images/${thirdId}/`)).status).toBe(204)
    // As clients before API 6 do.
    const [first, second] = images.json.map((shown: Answer['json']) => shown.media_id)
    expect((await call(client.token, 'DELETE', `/api/media/${first}`)).status).toBe(403)
    expect((await call(stranger.token, 'DELETE', `/api/media/${first}`)).status).toBe(404)
    expect((await call(manager.token, 'DELETE', `/api/media/${first}`)).status).toBe(204)
    expect((await call(manager.token, 'DELETE', `/api/images/${second}/`)).status).toBe(204)
    expect((await call(manager.token, 'GET', path)).json.images).toEqual([])
    expect((await send(link)).status).toBe(404)
    expect((await call(manager.token, 'PATCH', `${path}/meta_data`, { seen: true })).json).toEqual({
      ...payload['person:meta_data'],
      seen: true,
    })
    expect((await call(manager.token, 'DELETE', path)).status).toBe(204)
    expect((await call(manager.token, 'GET', path)).status).toBe(404)
  })

  it('a face that is enrolled twice is stored, with a warning that names the other person', async () => {
    const collection = await create()
    const named = (name: string) => ({ 'person:meta_data': { name } })
    const first = await person(collection, [file('photo', photos.redhead)], named('Ada'))
    const [known] = first.json.images
    expect(known).not.toHaveProperty('similar_persons')
    const path = `/api/collections/${collection}/persons`
    // Another photo of the same person.
    const more = await upload(
      manager.token,
      `${path}/${first.json.person_id}/images`,
      form([file('photo', photos.redheadAgain)], {}),
    )
    expect(more.json[0]).not.toHaveProperty('similar_persons')
    const again = await person(collection, [file('photo', photos.redhead)], named('Eve'))
    expect(again.status).toBe(201)
    const warning = {
      person_id: first.json.person_id,
      person_image_id: known.person_image_id,
      confidence: expect.closeTo(1, 2),
      meta_data: { name: 'Ada' },
    }
    expect(again.json.images[0].similar_persons).toEqual([warning])
    const stranger = await person(collection, [file('photo', photos.brunette)])
    expect(stranger.json.images[0]).not.toHaveProperty('similar_persons')
    const added = await upload(
      manager.token,
      `${path}/${stranger.json.person_id}/images`,
      form([file('photo', photos.redhead)], {}),
    )
    expect(added.json[0].similar_persons).toEqual(expect.arrayContaining([warning]))
    // It is told once: what is stored stays as it is.
    const stored = await call(client.token, 'GET', `${path}/${again.json.person_id}`)
    expect(stored.json.images[0]).not.toHaveProperty('similar_persons')
    const other = await create()
    expect((await person(other, [file('photo', photos.redhead)])).json.images[0]).not.toHaveProperty(
      'similar_persons',
    )
  })

  it('many persons are enrolled at once, with a result for each', async () => {
    const collection = await create()
    const files = [
      file('a', photos.brunette),
      file('b', photos.redhead),
      file('c', photos.redheadAgain),
      file('d', empty),
    ]
    const persons = [{ images: ['a'], meta_data: { n: 1 } }, { images: ['d'] }, { images: ['b', 'c'] }]
    const { status, json } = await person(collection, files, { persons })
    expect(status).toBe(201)
    expect(json).toMatchObject([
      { person_id: expect.any(String), meta_data: { n: 1 }, images: [{}] },
      { person_id: null, error_code: 4, error_details: { key_path: 'd' }, images: ['d'] },
      { person_id: expect.any(String), images: [{}, {}] },
    ])
    const { json: listed } = await call(
      manager.token,
      'GET',
      `/api/collections/${collection}/persons?limit=1`,
    )
    expect(listed.map((shown: Answer['json']) => shown.person_id)).toEqual([json[2].person_id])
    const unnamed = await person(collection, files, { persons: [{ images: ['a'] }] })
    expect([unnamed.status, unnamed.json.error_code]).toEqual([400, 4])
    const twice = await person(collection, files, { persons: [{ images: ['a'] }, { images: ['a'] }] })
    expect([twice.status, twice.json.error_code]).toEqual([400, 4])
  })

  it('photos of nobody, of several people, and other files are refused', async () => {
    const collection = await create()
    const refused = async (files: FilePart[]) => {
      const { status, json } = await person(collection, files)
      return [status, json.error_code, json.error_details]
    }
    expect(await refused([file('photo', empty)])).toEqual([400, 4, { key_path: 'photo' }])
    expect(await refused([file('photo', await group(5))])).toEqual([400, 4, { key_path: 'photo' }])
    expect(await refused([file('good', photos.redhead), file('bad', empty)])).toEqual([
      400,
      4,
      { key_path: 'bad' },
    ])
    expect((await refused([file('photo', new Uint8Array([1, 2, 3]))]))[0]).toBe(400)
    expect((await refused([]))[0]).toBe(400)
    expect((await call(manager.token, 'POST', `/api/collections/${collection}/persons`, {})).status).toBe(400)
    // Nothing of them was stored.
    expect((await call(manager.token, 'GET', `/api/collections/${collection}/persons`)).json).toEqual([])
    const elsewhere = await person(noId, [file('photo', photos.redhead)])
    expect(elsewhere.status).toBe(404)
    expect((await person(collection, [file('photo', photos.redhead)], {}, stranger)).status).toBe(404)
    expect((await person(collection, [file('photo', photos.redhead)], {}, client)).status).toBe(403)
  })

  it('a person in the collection is declined by another photo, and strangers pass', async () => {
    const collection_id = await create()
    const wanted = await enrol(collection_id, 'redhead')
    await enrol(collection_id, 'longHair')
    const found = await look(photos.redheadAgain, { collection_id, decision_count: 5 })
    expect(found.verdict).toBe('DECLINED')
    expect(found.hits).toEqual([
      {
        person_id: wanted,
        collection_id,
        confidence: expect.any(Number),
        person_image_id: expect.any(String),
        media_id: expect.any(String),
      },
    ])
    expect(found.hits[0].confidence).toBeGreaterThan(0.85)
    expect(found.analysis).toMatchObject({
      type: 'COLLECTION',
      results_data: { max_confidence: found.hits[0].confidence, min_confidence: found.hits[0].confidence },
      confs: { collection_id, decision_count: 5, decision_threshold: 0.85 },
    })
    const read = await call(client.token, 'GET', `/api/analyses/${found.analysis.analysis_id}`)
    expect(read.json.results_media[0].collection_persons).toEqual(found.hits)
    const passed = await look(photos.brunette, { collection_id })
    expect([passed.verdict, passed.hits, passed.analysis.results_data]).toEqual(['SUCCESS', [], null])
    const nobody = await look(photos.brunette, { collection_id: await create(), decision_threshold: 0 })
    expect([nobody.verdict, nobody.hits]).toEqual(['SUCCESS', []])
    const above = await look(photos.redheadAgain, { collection_id, decision_threshold: 1 })
    expect([above.verdict, above.hits]).toEqual(['SUCCESS', []])
    // Between the bounds an operator decides.
    const all = await look(photos.smiling, { collection_id, threshold_min: 0, threshold_max: 1 })
    expect([all.verdict, all.hits.length]).toEqual(['OPERATOR_REQUIRED', 2])
    const one = await look(photos.smiling, { collection_id, threshold_min: 0, decision_count: 1 })
    expect(one.hits).toEqual([all.hits[0]])
    await call(manager.token, 'DELETE', `/api/collections/${collection_id}/persons/${wanted}`)
    expect((await look(photos.redheadAgain, { collection_id })).verdict).toBe('SUCCESS')
  })

  it.skipIf(!hasFfmpeg)(`find persons in clips${hasFfmpeg ? '' : ' (skipped: no ffmpeg)'}`, async () => {
    const collection_id = await create()
    const wanted = await enrol(collection_id, 'redhead')
    const filters = 'scale=480:480,loop=loop=50:size=1:start=0,setpts=N/25/TB'
    const output = ['-r', '25', '-frames:v', '50', '-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-crf', '23']
    const clip = await remake(photos.redheadAgain, 'mp4', ['-vf', filters, ...output])
    const found = await look(clip, { collection_id }, { filename: 'clip.mp4', type: 'video/mp4' })
    expect([found.verdict, found.hits[0]?.person_id]).toEqual(['DECLINED', wanted])
  })

  it('collections are searched in the background; the only one is used if none is named', async () => {
    const company = await createCompany(admin.token, 'One collection')
    const owner = await createUser(admin.token, company, 'CLIENT_ADMIN')
    const start = async (folder: string, params: object) =>
      call(owner.token, 'POST', `/api/folders/${folder}/analyses/`, {
        analyses: [{ type: 'COLLECTION', params }],
      })
    const { json } = await upload(
      owner.token,
      '/api/folders',
      form([file('selfie', photos.redheadAgain), file('back', empty)], {
        'media:tags': { back: ['photo_id_back'] },
      }),
    )
    expect((await start(json.folder_id, {})).json).toMatchObject({
      error_code: 3,
      error_details: { key_path: 'analyses.0.params.collection_id' },
    })
    const collection = await create(owner)
    await enrol(collection, 'redhead', owner)
    const begun = await start(json.folder_id, {})
    expect([begun.status, begun.json[0].resolution]).toEqual([201, 'PROCESSING'])
    const done = await finished(owner.token, begun.json[0].analysis_id)
    expect(done).toMatchObject({ resolution: 'DECLINED', confs: { collection_id: collection } })
    // The back of a document shows no portrait.
    expect(done.results_media.length).toBe(1)
    await create(owner)
    expect((await start(json.folder_id, {})).json.error_code).toBe(3)
    const theirs = await create(stranger)
    for (const collection_id of [theirs, noId])
      expect((await start(json.folder_id, { collection_id })).json.error_code).toBe(4)
    expect((await start(json.folder_id, { collection_id: 'blacklist' })).json.error_code).toBe(4)
    expect(
      (await start(json.folder_id, { collection_id: collection, decision_count: 0 })).json.error_code,
    ).toBe(4)
    // A medium that shows nobody fails the analysis.
    const failed = await check([file('probe', empty)], { collection_id: collection }, owner)
    expect(failed.json.analyses[0]).toMatchObject({ state: 'FAILED', error_code: 3002 })
  })

  it('Instant does not offer collections', async () => {
    const payload = { analyses: [{ type: 'collection', params: { collection_id: noId } }] }
    const body = form([file('probe', photos.redhead)], payload)
    const { status, json } = await send('/api/instant/folders/', {
      method: 'POST',
      headers: tokenHeader(client.token),
      body,
    })
    expect([status, json.error_code]).toEqual([400, 4])
  })
})
