/** What the contract demands of stored folders, their media and analyses. */
import { beforeAll, describe, expect } from 'vitest'
import { portrait } from '../fixtures/portraits.ts'
import { testedRuntime } from '../fixtures/server.ts'
import { file, form, send, url } from '../http/client.ts'
import { call, upload } from '../http/persistent/service.ts'
import { itMeets } from './demands.ts'
import { invite, type People } from './people.ts'

interface World extends People {
  photo: Uint8Array
  /** A folder with two media, a liveness analysis that is declined and a successful comparison. */
  // biome-ignore lint/suspicious/noExplicitAny: an answer
  folder: any
}

describe.skipIf(testedRuntime === 'workers')('the contract of folders', () => {
  let world: World

  beforeAll(async () => {
    const people = await invite('Seed of folders')
    const photo = await portrait('redhead')
    const analyses = [
      { type: 'quality', params: { threshold_spoofing: 0 }, meta_data: { step: 1 } },
      { type: 'biometry', params: { threshold_min: 0, threshold_max: 0 } },
    ]
    const files = [file('one', photo), file('two', await portrait('redheadAgain'))]
    const { json: folder } = await upload(people.client.token, '/api/folders/', form(files, { analyses }))
    world = { ...people, photo, folder }
  })

  const list = ({ client, folder }: World, query: string) =>
    call(client.token, 'GET', `/api/folders/?folder_id=${folder.folder_id}&${query}`)
  const create = async ({ client, photo }: World, payload: object = {}) =>
    (await upload(client.token, '/api/folders/', form([file('one', photo)], payload))).json

  itMeets(
    () => world,
    [
      {
        line: 'F25',
        says: 'times are numbers with fractions of seconds, ids are UUIDs',
        call: ({ client, folder }) => call(client.token, 'GET', `/api/folders/${folder.folder_id}`),
        holds({ folder_id, time_created, time_updated }) {
          expect(folder_id).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/)
          expect([time_created, time_updated].every((time) => time > 1.6e9 && time < 1e10)).toBe(true)
        },
      },
      {
        line: 'F36',
        says: 'a folder is FINISHED while its system resolution says how',
        call: (all) => list(all, ''),
        holds({ items: [item] }) {
          expect([item.resolution_status, item.system_resolution]).toEqual(['FINISHED', 'DECLINED'])
        },
      },
      {
        line: 'F39',
        says: 'items of lists have the hash of their state and the group of their analyses',
        call: (all) => list(all, 'with_media=false'),
        holds({ items: [item] }, { folder }) {
          expect(item.resolution_state_hash).toBe(folder.resolution_state_hash)
          expect(item.group_id).toBe(folder.analyses[0].group_id)
        },
      },
      {
        line: 'F39',
        says: 'is_cleared=null finds the folders that show it as null',
        call: (all) => list(all, 'is_cleared=null'),
        body: { total_count: 1, items: [{ is_cleared: null }] },
      },
      {
        line: 'F42',
        says: 'items of lists have their media',
        call: (all) => list(all, ''),
        holds({ items: [item] }, { folder }) {
          expect(item.media).toEqual(folder.media)
          expect(item.analyses).toBeUndefined()
        },
      },
      {
        line: 'F70',
        says: 'confs has the three thresholds as numbers, and whether to extract a best shot',
        call: ({ client, folder }) =>
          call(client.token, 'GET', `/api/analyses/${folder.analyses[0].analysis_id}`),
        body: {
          confs: {
            threshold_replay: 0,
            threshold_liveness: 1,
            threshold_spoofing: 0,
            extract_best_shot: true,
          },
        },
      },
      {
        line: 'F111',
        says: 'metadata of a folder change with the folder, null removes a field',
        async call(all) {
          const { folder_id } = await create(all, { 'folder:meta_data': { a: 1, b: 2 } })
          return call(all.client.token, 'PATCH', `/api/folders/${folder_id}`, {
            meta_data: { b: null, c: 3 },
          })
        },
        body: { meta_data: { a: 1, c: 3 } },
        async holds({ folder_id, meta_data }, { client }) {
          expect(meta_data).toEqual({ a: 1, c: 3 })
          const path = `/api/folders/${folder_id}`
          const changed = await call(client.token, 'PATCH', path, { 'folder:meta_data': { d: 4 } })
          expect(changed.json.meta_data).toEqual({ a: 1, c: 3, d: 4 })
          const both = { meta_data: { e: 5 }, 'folder:meta_data': { e: 6 } }
          expect((await call(client.token, 'PATCH', path, both)).json.error_code).toBe(4)
          const found = await call(client.token, 'GET', `/api/folders/?folder_id=${folder_id}&meta_data=d==4`)
          expect(found.json.total_count).toBe(1)
        },
      },
      {
        line: 'F37',
        says: 'an operator sets the comment by its name in answers, others may not',
        call: ({ reviewer, folder }) =>
          call(reviewer.token, 'PATCH', `/api/folders/${folder.folder_id}`, { resolution_comment: 'seen' }),
        body: { resolution_comment: 'seen', operator_comment: 'seen' },
        async holds(_, { client, folder }) {
          const path = `/api/folders/${folder.folder_id}`
          const refused = await call(client.token, 'PATCH', path, { resolution_comment: 'mine' })
          expect([refused.status, refused.json.error_code]).toEqual([403, 9])
        },
      },
      ...(['operator', 'reviewer'] as const).flatMap((who) => [
        {
          line: 'F184',
          says: `metadata of a medium: ${who}`,
          call: (all: World) =>
            call(all[who].token, 'PATCH', `/api/media/${all.folder.media[0].media_id}/meta_data`, {
              by: who,
            }),
          body: { by: who },
        },
        {
          line: 'F185',
          says: `metadata of an analysis: ${who}`,
          call: (all: World) =>
            call(all[who].token, 'PATCH', `/api/analyses/${all.folder.analyses[0].analysis_id}/meta_data`, {
              by: who,
            }),
          body: { step: 1, by: who },
        },
      ]),
      {
        line: 'F111',
        says: 'metadata of a photo of a person can be changed and read',
        async call({ manager, photo }) {
          const made = await call(manager.token, 'POST', '/api/collections/', { alias: crypto.randomUUID() })
          const path = `/api/collections/${made.json.collection_id}/persons/`
          const { json } = await upload(manager.token, path, form([file('photo', photo)]))
          const image = json.images[0].media_id
          return call(manager.token, 'PATCH', `/api/media/${image}/meta_data`, { image })
        },
        async holds({ image }, { client }) {
          const path = `/api/media/${image}/meta_data`
          expect((await call(client.token, 'GET', path)).json).toEqual({ image })
          expect((await call(client.token, 'PATCH', path, {})).status).toBe(403)
        },
      },
      {
        line: 'F150',
        says: 'filters on analyses hold of one and the same analysis',
        call: (all) => list(all, 'analyse.type=QUALITY&analyse.resolution_status=DECLINED'),
        body: { total_count: 1 },
        async holds(_, all) {
          const others = await list(all, 'analyse.type=BIOMETRY&analyse.resolution_status=DECLINED')
          expect(others.json.total_count).toBe(0)
          const later = `analyse.type=BIOMETRY&analyse.time_created.min=${all.folder.time_created + 3600}`
          expect((await list(all, later)).json.total_count).toBe(0)
        },
      },
      {
        line: 'F150',
        says: 'results_media_results_data is switched on by with_results_media_filter=True',
        call: (all) =>
          list(all, 'results_media_results_data=confidence_spoofing>=0&with_results_media_filter=True'),
        body: { total_count: 1 },
        async holds(_, all) {
          const above = 'results_media_results_data=confidence_spoofing>1'
          expect((await list(all, `${above}&with_results_media_filter=True`)).json.total_count).toBe(0)
          expect((await list(all, above)).json.total_count).toBe(1)
        },
      },
      {
        line: 'F152',
        says: 'analyses of a folder are listed by their resolution',
        call: ({ client, folder }) =>
          call(client.token, 'GET', `/api/folders/${folder.folder_id}/analyses/?resolution_status=DECLINED`),
        body: [{ type: 'QUALITY' }],
        holds: (json) => expect(json).toHaveLength(1),
      },
      {
        line: 'F200',
        says: 'a medium has a snapshot',
        call: ({ client, folder }) =>
          call(client.token, 'GET', `/api/media/${folder.media[0].media_id}/snapshot/`),
        async holds({ original_url }) {
          const picture = await send(new URL(original_url).pathname)
          expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/jpeg'])
        },
      },
      {
        line: 'F200',
        says: 'a picture that an analysis took from a medium is a medium with a snapshot',
        call: ({ client, folder }) =>
          call(client.token, 'GET', `/api/folders/${folder.folder_id}?with_analyses=true`),
        async holds({ analyses }, { client }) {
          const [{ image_b64, ...picture }] = analyses[0].results_media[0].output_images
          const path = `/api/media/${picture.media_id}`
          expect((await call(client.token, 'GET', path)).json).toEqual(picture)
          for (const [method, expected] of [
            ['GET', 200],
            ['POST', 201],
          ] as const) {
            const { status, json } = await call(client.token, method, `${path}/snapshot/`)
            expect([status, json.media_id]).toEqual([expected, picture.media_id])
            const shown = await fetch(`${url}${new URL(json.original_url).pathname}`)
            expect(Buffer.from(await shown.arrayBuffer()).toString('base64')).toBe(image_b64)
          }
          for (const [method, body] of [
            ['PATCH', { tags: [] }],
            ['DELETE', undefined],
          ] as const)
            expect((await call(client.token, method, path, body)).status).toBe(method === 'PATCH' ? 404 : 403)
        },
      },
      {
        line: 'F53, F200',
        says: 'a photo of a person is read and tagged by its id alone',
        async call({ manager, photo }) {
          const made = await call(manager.token, 'POST', '/api/collections/', { alias: crypto.randomUUID() })
          const path = `/api/collections/${made.json.collection_id}/persons/`
          return upload(manager.token, path, form([file('photo', photo)]))
        },
        status: 201,
        async holds({ images: [image], person_id, collection_id }, { manager, client }) {
          const path = `/api/media/${image.media_id}`
          expect((await call(client.token, 'GET', path)).json).toEqual(image)
          expect((await call(client.token, 'PATCH', path, { tags: [] })).status).toBe(403)
          const tags = ['photo_selfie', 'orientation_portrait']
          const meta_data = { desk: 7 }
          await call(manager.token, 'PATCH', path, { tags })
          const { status, json } = await call(manager.token, 'PATCH', path, { meta_data })
          expect([status, json]).toMatchObject([
            200,
            { media_type: 'IMAGE_PERSON', person_id, tags, meta_data },
          ])
          const persons = `/api/collections/${collection_id}/persons/${person_id}`
          expect((await call(manager.token, 'GET', persons)).json.images[0]).toEqual(json)
        },
      },
      {
        line: 'F200',
        says: 'a photo of a person has a snapshot, which is made again by POST, and removed with the photo',
        async call({ manager, photo }) {
          const made = await call(manager.token, 'POST', '/api/collections/', { alias: crypto.randomUUID() })
          const path = `/api/collections/${made.json.collection_id}/persons/`
          const { json } = await upload(manager.token, path, form([file('photo', photo)]))
          return call(manager.token, 'GET', `/api/media/${json.images[0].media_id}/snapshot`)
        },
        async holds({ media_id, original_url }, { manager, client }) {
          const picture = new URL(original_url).pathname
          expect((await send(picture)).status).toBe(200)
          const make = (token: string) => call(token, 'POST', `/api/media/${media_id}/snapshot`)
          const made = await make(manager.token)
          expect([made.status, made.json]).toMatchObject([201, { media_id, original_url }])
          expect((await make(client.token)).status).toBe(403)
          await call(manager.token, 'DELETE', `/api/media/${media_id}`)
          expect((await send(picture)).status).toBe(404)
        },
      },
      {
        line: 'F201, F299',
        says: 'personal data inside analyses are removed, and the analyses stay',
        async call(all) {
          const analyses = [{ type: 'quality', meta_data: { who: 'somebody' } }]
          const { folder_id } = await create(all, { analyses })
          await call(all.manager.token, 'DELETE', `/api/folders/${folder_id}/pi`)
          return call(all.client.token, 'GET', `/api/folders/${folder_id}?with_analyses=true`)
        },
        body: {
          ...{ is_cleared: true, resolution_status: 'FINISHED', media: [] },
          analyses: [
            { type: 'QUALITY', state: 'FINISHED', meta_data: {}, results_data: null, results_media: [] },
          ],
        },
      },
      {
        line: 'F120',
        says: 'a folder without personal data accepts no new media',
        async call(all) {
          const { folder_id } = await create(all)
          await call(all.manager.token, 'DELETE', `/api/folders/${folder_id}/pi`)
          return upload(all.client.token, `/api/folders/${folder_id}/media`, form([file('late', all.photo)]))
        },
        status: 400,
        body: { error_code: 221 },
      },
      {
        line: 'F9, F15',
        says: 'reports with analysis results are generated, stored and retrieved later',
        async call({ client, folder }) {
          const reports = `/api/folders/${folder.folder_id}/reports/`
          const { json } = await call(client.token, 'POST', reports)
          return call(client.token, 'GET', `/api/reports/${json.report_id}`)
        },
        body: { state: 'FINISHED', attachments: true },
        async holds({ report_url, html_url }) {
          expect((await send(new URL(report_url).pathname)).text).toMatch(/^%PDF-/)
          expect((await send(new URL(html_url).pathname)).text).toContain('Attack score')
        },
      },
      {
        line: 'F295',
        says: 'the name of a report contains folder_id',
        call: ({ client, folder }) => call(client.token, 'POST', `/api/folders/${folder.folder_id}/reports`),
        status: 201,
        holds: ({ file_name }, { folder }) => expect(file_name).toContain(folder.folder_id),
      },
    ],
  )
})
