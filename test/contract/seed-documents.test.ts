/** What the contract demands of analyses of documents. */
import { beforeAll, describe, expect } from 'vitest'
import manifest from '../../models/manifest.json' with { type: 'json' }
import { portrait } from '../fixtures/portraits.ts'
import { testedRuntime } from '../fixtures/server.ts'
import { type Answer, file, form, postForm } from '../http/client.ts'
import { call, createUser, finished, upload } from '../http/persistent/service.ts'
import { itMeets } from './demands.ts'
import { invite, type People } from './people.ts'

interface World extends People {
  photo: Uint8Array
  /** A folder with a photo tagged as a document and another one, and its finished analysis. */
  folder: Answer['json']
}

const documents = { type: 'documents' }
/** Without networks for documents these analyses are refused. */
const isOff = !('mrz' in manifest.documents)

describe.skipIf(isOff || testedRuntime === 'workers')('the contract of documents', () => {
  let world: World

  const files = (photo: Uint8Array) => [file('selfie', photo), file('id', photo), file('other', photo)]
  const tags = { selfie: ['photo_selfie'], id: ['photo_id_front'] }

  beforeAll(async () => {
    const people = await invite('Seed of documents')
    const photo = await portrait('redhead')
    const payload = { 'media:tags': tags, analyses: [documents] }
    const { json } = await upload(people.client.token, '/api/folders/', form(files(photo), payload))
    world = { ...people, photo, folder: json }
  })

  const instant = ({ photo }: World, payload: object) =>
    postForm('/api/instant/folders/', form(files(photo), payload))
  const tagsOf = ({ analyses }: Answer['json']) =>
    analyses[0].source_media.map((medium: { tags: string[] }) => medium.tags)

  itMeets(
    () => world,
    [
      {
        line: 'F7, F66',
        says: 'analyses of documents exist',
        call: (all) => instant(all, { 'media:tags': tags, analyses: [documents] }),
        body: { analyses: [{ type: 'DOCUMENTS' }] },
      },
      {
        line: 'F69',
        says: 'results are an object, with fields that clients read by name',
        call: ({ client, folder }) =>
          call(client.token, 'GET', `/api/analyses/${folder.analyses[0].analysis_id}`),
        holds: ({ results_data }) => expect(results_data.text_fields).toEqual(expect.any(Array)),
      },
      {
        line: 'F97, F139',
        says: 'a user without can_start_analysis_documents starts none',
        async call({ admin, company, photo }) {
          const user = await createUser(admin.token, company, 'CLIENT')
          const body = { can_start_analysis_documents: false }
          await call(admin.token, 'PATCH', `/api/users/${user.userId}`, body)
          return upload(user.token, '/api/folders/', form(files(photo), { analyses: [documents] }))
        },
        status: 403,
      },
      {
        line: 'F150',
        says: 'folders are found by the results of documents',
        call: ({ client }) =>
          call(
            client.token,
            'GET',
            '/api/folders/?analyse.results_data=document_kind==null&analyse.type=DOCUMENTS',
          ),
        holds: ({ items }) => expect(items).toHaveLength(1),
      },
      {
        line: 'F150',
        says: 'folders are not found by other results of documents',
        call: ({ client }) =>
          call(client.token, 'GET', '/api/folders/?analyse.results_data=text_fields.Surname.mrz==NOBODY'),
        holds: ({ items }) => expect(items).toEqual([]),
      },
      {
        line: 'F166–F167',
        says: 'fields_to_check and double_page_spread are parameters, with all fields and both pages by default',
        call: (all) => instant(all, { 'media:tags': tags, analyses: [documents] }),
        body: { analyses: [{ confs: { fields_to_check: null, double_page_spread: true } }] },
      },
      {
        line: 'F166–F167',
        says: 'fields_to_check and double_page_spread are shown as requested',
        call: (all) =>
          instant(all, {
            'media:tags': tags,
            analyses: [{ ...documents, params: { fields_to_check: ['Surname'], double_page_spread: false } }],
          }),
        body: { analyses: [{ confs: { fields_to_check: ['Surname'], double_page_spread: false } }] },
      },
      {
        line: 'F175, F282',
        says: 'media tagged as documents are taken',
        call: (all) => instant(all, { 'media:tags': tags, analyses: [documents] }),
        holds: (json) => expect(tagsOf(json)).toEqual([['photo_id_front']]),
      },
      {
        line: 'F175, F282',
        says: 'media listed in source_media are taken, whatever their tags',
        call: (all) =>
          instant(all, { 'media:tags': tags, analyses: [{ ...documents, source_media: ['selfie'] }] }),
        holds: (json) => expect(tagsOf(json)).toEqual([['photo_selfie']]),
      },
      {
        line: 'F175, F282',
        says: 'without tagged media, those without tags are taken',
        call: (all) => instant(all, { 'media:tags': { selfie: ['photo_selfie'] }, analyses: [documents] }),
        holds: (json) => expect(tagsOf(json)).toEqual([[], []]),
      },
      {
        line: 'F175, F233',
        says: 'without either, the call fails',
        call: (all) =>
          instant(all, {
            'media:tags': { selfie: ['photo_selfie'], id: ['photo_selfie'], other: ['a'] },
            analyses: [documents],
          }),
        status: 400,
        body: { error_message: "Can't start analysis without media" },
      },
      {
        line: 'F175, F233',
        says: 'analyses of a stored folder fail in the same way',
        async call({ client, photo }) {
          const payload = { 'media:tags': { selfie: ['photo_selfie'] } }
          const { json } = await upload(client.token, '/api/folders/', form([file('selfie', photo)], payload))
          return call(client.token, 'POST', `/api/folders/${json.folder_id}/analyses`, {
            analyses: [documents],
          })
        },
        status: 400,
        body: { error_message: "Can't start analysis without media" },
      },
      {
        line: 'F175',
        says: 'an analysis of a stored folder runs in the background',
        async call({ client, folder }) {
          const path = `/api/folders/${folder.folder_id}/analyses`
          const { json } = await call(client.token, 'POST', path, { analyses: [documents] })
          await finished(client.token, json[0].analysis_id)
          return call(client.token, 'GET', `/api/folders/${folder.folder_id}?with_analyses=true`)
        },
        holds: ({ analyses }) => {
          expect(analyses).toHaveLength(2)
          for (const { type, state } of analyses) expect([type, state]).toEqual(['DOCUMENTS', 'FAILED'])
        },
      },
    ],
  )
})
