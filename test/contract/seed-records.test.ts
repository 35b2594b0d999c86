/** What the contract demands of folders that are kept: of one request, of many, and of what is read later. */
import { strFromU8, unzipSync } from 'fflate'
import { beforeAll, describe, expect } from 'vitest'
import { testMd5 } from '../fixtures/codecs.ts'
import { portrait } from '../fixtures/portraits.ts'
import { testedRuntime } from '../fixtures/server.ts'
import { type Answer, type FilePart, file, form, send, url } from '../http/client.ts'
import { call, finished, tokenHeader, upload } from '../http/persistent/service.ts'
import { itMeets } from './demands.ts'
import { invite, type People } from './people.ts'

type Json = Answer['json']

interface World extends People {
  one: Uint8Array
  two: Uint8Array
  /** The answer to a single request of the client, with two photos and two analyses. */
  answer: Answer
  /** The same folder, read later. */
  kept: Json
}

const accepting = { type: 'quality', params: { threshold_spoofing: 1 } }
const matching = { type: 'biometry', params: { threshold_min: 0, threshold_max: 0 } }

describe.skipIf(testedRuntime === 'workers')('the contract of kept folders', () => {
  let world: World

  beforeAll(async () => {
    const people = await invite('Seed of records')
    const [one, two] = [await portrait('redhead'), await portrait('redheadAgain')]
    const payload = {
      'folder:meta_data': { order: 'a-1' },
      'media:meta_data': { one: { from: 'phone' }, absent: { from: 'nowhere' } },
      'media:tags': { one: ['photo_selfie'], absent: ['photo_id'] },
      analyses: [accepting, matching],
      resolution_endpoint: `${url}/hook`,
    }
    const files = [file('one', one), file('two', two)]
    const answer = await upload(people.client.token, '/api/folders/', form(files, payload))
    const path = `/api/folders/${answer.json.folder_id}?with_analyses=true`
    const { json: kept } = await call(people.client.token, 'GET', path)
    world = { ...people, one, two, answer, kept }
  })

  const answered = ({ answer }: World) => Promise.resolve(answer)
  const read = ({ client, answer }: World, rest = '') =>
    call(client.token, 'GET', `/api/folders/${answer.json.folder_id}${rest}`)
  const create = async ({ client }: World, files: FilePart[], payload: object = {}): Promise<Json> =>
    (await upload(client.token, '/api/folders/', form(files, payload))).json
  const start = ({ client }: World, folder: Json, analyses: object[]) =>
    call(client.token, 'POST', `/api/folders/${folder.folder_id}/analyses/`, { analyses })
  const settled = async (all: World, folder: Json, analyses: object[]): Promise<Json> => {
    const begun = await start(all, folder, analyses)
    for (const { analysis_id } of begun.json) await finished(all.client.token, analysis_id)
    return begun.json
  }
  const fileAt = async (link: string) =>
    new Uint8Array(await (await fetch(`${url}${new URL(link).pathname}`)).arrayBuffer())

  itMeets(
    () => world,
    [
      {
        line: 'F146, F122',
        says: 'a single request is answered with the folder, its media and its finished analyses',
        call: answered,
        status: 201,
        body: {
          resolution_status: 'FINISHED',
          media: [{ media_type: 'IMAGE_FOLDER' }, { media_type: 'IMAGE_FOLDER' }],
          analyses: [
            { type: 'QUALITY', state: 'FINISHED' },
            { type: 'BIOMETRY', state: 'FINISHED' },
          ],
        },
      },
      {
        line: 'F9, F15',
        says: 'what was answered is kept, and read later as it was',
        call: (all) => read(all, '/?with_analyses=true'),
        holds: (json, { answer }) => expect(json).toEqual(answer.json),
      },
      {
        line: 'F9',
        says: 'media are archived as they were sent',
        call: (all) => read(all),
        async holds({ media: [medium] }, { one }) {
          expect(medium.info.original).toMatchObject({ md5: testMd5(one), size: one.length })
          expect(await fileAt(medium.original_url)).toEqual(one)
          const thumb = await fileAt(medium.thumb_url)
          expect(medium.info.thumb).toMatchObject({ md5: testMd5(thumb), size: thumb.length })
        },
      },
      {
        line: 'F32, F33',
        says: 'a folder names the company and the user that made it',
        call: (all) => read(all),
        holds: ({ company_id, user_id }, { company, client }) =>
          expect([company_id, user_id]).toEqual([company, client.userId]),
      },
      {
        line: 'F34',
        says: 'a change moves time_updated, and time_created stays',
        async call(all) {
          const folder = await create(all, [])
          await new Promise((resolve) => setTimeout(resolve, 5))
          const path = `/api/folders/${folder.folder_id}`
          const { json, ...rest } = await call(all.client.token, 'PATCH', path, { meta_data: { a: 1 } })
          return { ...rest, json: { before: folder, after: json } }
        },
        holds({ before, after }) {
          expect(after.time_created).toBe(before.time_created)
          expect(after.time_updated).toBeGreaterThan(before.time_updated)
        },
      },
      {
        line: 'F35, F168',
        says: 'the callback address of the payload is the folder’s',
        call: (all) => read(all),
        body: { resolution_endpoint: `${url}/hook` },
      },
      {
        line: 'F36, F115',
        says: 'a folder without analyses is INITIAL',
        call: ({ client }) => upload(client.token, '/api/folders/', form([file('one', world.one)])),
        status: 201,
        body: { resolution_status: 'INITIAL', system_resolution: 'INITIAL', media: [{ tags: [] }] },
      },
      {
        line: 'F38, F115',
        says: 'a folder whose analyses passed is a SUCCESS',
        call: (all) => read(all),
        body: { resolution_status: 'FINISHED', system_resolution: 'SUCCESS' },
      },
      {
        line: 'F39',
        says: 'what nobody has decided is null',
        call: (all) => read(all),
        body: {
          ...{ resolution_time: null, resolution_author_id: null, operator_comment: null },
          ...{ operator_status: null, is_cleared: null, resolution_comment: '' },
        },
        holds: ({ resolution_state_hash }) => expect(resolution_state_hash).toMatch(/^[\da-f]+$/),
      },
      {
        line: 'F39',
        says: 'the decision of an operator has its author and its time',
        call: ({ reviewer, answer }) =>
          call(reviewer.token, 'PATCH', `/api/analyses/${answer.json.analyses[0].analysis_id}`, {
            resolution_operator: 'DECLINED',
          }),
        body: {
          resolution_operator: 'DECLINED',
          resolution_status: 'DECLINED',
          system_resolution: 'SUCCESS',
        },
        async holds(_, all) {
          const { json } = await read(all)
          expect(json).toMatchObject({ resolution_author_id: all.reviewer.userId })
          expect(json.resolution_time).toBeGreaterThan(json.time_created)
        },
      },
      {
        line: 'F41, F55, F73',
        says: 'folders, media and analyses have technical metadata',
        call: (all) => read(all, '?with_analyses=true'),
        body: { technical_meta_data: {}, media: [{ technical_meta_data: {} }, {}] },
        holds: ({ analyses }) => expect(analyses[0].technical_meta_data).toHaveProperty('models'),
      },
      {
        line: 'F160, F161',
        says: 'metadata and tags go to the media of their keys, and those of no media are ignored',
        call: (all) => read(all),
        body: {
          media: [
            { meta_data: { from: 'phone' }, tags: ['photo_selfie'] },
            { meta_data: {}, tags: [] },
          ],
        },
      },
      {
        line: 'F20',
        says: 'many requests: a folder, media, analyses, and polling until they are finished',
        async call(all) {
          const folder = await create(all, [])
          const path = `/api/folders/${folder.folder_id}`
          const parts = form([file('one', all.one), file('two', all.two)], {
            'media:tags': { one: ['photo_selfie'] },
          })
          await upload(all.client.token, `${path}/media`, parts)
          await settled(all, folder, [accepting, matching])
          return call(all.client.token, 'GET', `${path}/?with_analyses=true`)
        },
        body: {
          ...{ resolution_status: 'FINISHED', system_resolution: 'SUCCESS' },
          media: [{ tags: ['photo_selfie'] }, { tags: [] }],
          analyses: [
            { type: 'QUALITY', results_media: [{}, {}] },
            { type: 'BIOMETRY', results_media: [{}, {}] },
          ],
        },
      },
      ...['media', 'media/', 'media/request', 'images'].map((path) => ({
        line: 'F148, F149, F151',
        says: `media are added to a folder, and answered as a list: ${path}`,
        async call(all: World) {
          const { folder_id } = await create(all, [file('one', all.one)])
          const payload = { 'media:tags': { late: ['photo_selfie'] }, 'media:meta_data': { late: { a: 1 } } }
          const parts = form([file('late', all.two)], payload)
          const answer = await upload(all.client.token, `/api/folders/${folder_id}/${path}`, parts)
          return { ...answer, json: { folder_id, added: answer.json } }
        },
        status: 201,
        body: { added: [{ tags: ['photo_selfie'], meta_data: { a: 1 }, original_name: 'late.jpg' }] },
        async holds({ folder_id, added }: Json, { client }: World) {
          const { json } = await call(client.token, 'GET', `/api/folders/${folder_id}/media/`)
          expect(json).toHaveLength(2)
          expect(json[1]).toEqual(added[0])
        },
      })),
      {
        line: 'F20, F115',
        says: 'analyses that were just started are PROCESSING, of one group, and so is their folder',
        call: async (all) =>
          start(all, await create(all, [file('one', all.one), file('two', all.two)]), [accepting, matching]),
        status: 201,
        body: [
          { type: 'QUALITY', state: 'PROCESSING', resolution: 'PROCESSING', results_data: null },
          { type: 'BIOMETRY', state: 'PROCESSING', resolution_status: 'PROCESSING' },
        ],
        async holds([first, second], { client }) {
          expect(first.group_id).toBe(second.group_id)
          for (const { analysis_id } of [first, second]) await finished(client.token, analysis_id)
        },
      },
      {
        line: 'F15',
        says: 're-analysis: the newest analysis of the same media decides',
        async call(all) {
          const folder = await create(all, [file('one', all.one)])
          await settled(all, folder, [{ type: 'quality', params: { threshold_spoofing: 0 } }])
          const declined = await call(all.client.token, 'GET', `/api/folders/${folder.folder_id}`)
          expect(declined.json.system_resolution).toBe('DECLINED')
          await settled(all, folder, [accepting])
          return call(all.client.token, 'GET', `/api/folders/${folder.folder_id}?with_analyses=true`)
        },
        body: { system_resolution: 'SUCCESS', analyses: [{}, {}] },
      },
      {
        line: 'F176, F233',
        says: 'no analysis starts in a folder without media',
        call: async (all) => start(all, await create(all, []), [accepting]),
        status: 400,
        body: { error_message: "Can't start analysis without media" },
      },
      ...['photo_id', 'photo_id_front', 'photo_id_back'].map((tag) => ({
        line: 'F173, F294',
        says: `liveness ignores media with the tag ${tag}`,
        async call(all: World) {
          const payload = { 'media:tags': { two: [tag] } }
          const folder = await create(all, [file('one', all.one), file('two', all.two)], payload)
          const [{ analysis_id }] = await settled(all, folder, [accepting])
          return call(all.client.token, 'GET', `/api/analyses/${analysis_id}`)
        },
        body: { results_media: [{}], source_media: [{ original_name: 'one.jpg' }] },
        holds: ({ results_media }: Json) => expect(results_media).toHaveLength(1),
      })),
      {
        line: 'F153, F282',
        says: 'the artifacts are a ZIP whose name has folder, company and date',
        call: (all) => read(all, '/artifacts'),
        async holds(_, all, { headers }) {
          const { folder_id, company_id, media } = all.kept
          expect(headers.get('content-type')).toBe('application/zip')
          expect(headers.get('content-disposition')).toMatch(
            new RegExp(`filename="artifacts_${folder_id}_${company_id}_\\d{4}-\\d\\d-\\d\\d\\.zip"`),
          )
          const answer = await fetch(`${url}/api/folders/${folder_id}/artifacts`, {
            headers: tokenHeader(all.client.token),
          })
          const files = unzipSync(new Uint8Array(await answer.arrayBuffer()))
          const folder = JSON.parse(strFromU8(files['folder.json']!))
          expect(folder).toMatchObject({ folder_id, analyses: [{ type: 'QUALITY' }, { type: 'BIOMETRY' }] })
          const names = Object.keys(files)
          for (const { media_id } of media)
            expect(names.filter((name) => name.includes(media_id))).not.toEqual([])
          expect(files[names.find((name) => name.endsWith(`${media[0].media_id}.jpg`))!]).toEqual(all.one)
        },
      },
      {
        line: 'F8',
        says: 'a CLIENT sees its own folders, its company’s others see them all, other companies none',
        call: (all) => read(all),
        async holds({ folder_id }, { manager, service, reviewer, operator, admin }) {
          for (const { token } of [manager, service, reviewer, operator, admin])
            expect((await call(token, 'GET', `/api/folders/${folder_id}`)).status).toBe(200)
          const elsewhere = await invite('Seed of another company')
          for (const { token } of [elsewhere.manager, elsewhere.client, elsewhere.service])
            expect((await call(token, 'GET', `/api/folders/${folder_id}`)).status).toBe(404)
        },
      },
      {
        line: 'F146',
        says: 'a body that is empty makes an empty folder',
        call: ({ client }) =>
          send('/api/folders', { method: 'POST', headers: tokenHeader(client.token), body: '' }),
        status: 201,
        body: { media: [], meta_data: {} },
      },
      ...(['reviewer'] as const).map((who) => ({
        line: 'F8',
        says: `a role that submits nothing is refused: ${who}`,
        call: (all: World) => call(all[who].token, 'POST', '/api/folders/'),
        status: 403,
        body: { error_code: 9 },
      })),
    ],
  )
})
