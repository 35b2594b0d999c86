/** What the contract demands of collections, their persons, and the analyses that search them. */
import { beforeAll, describe, expect } from 'vitest'
import { portrait } from '../fixtures/portraits.ts'
import { testedRuntime } from '../fixtures/server.ts'
import { type Answer, file, form, postForm, send } from '../http/client.ts'
import { call, type Signed, upload } from '../http/persistent/service.ts'
import { itMeets } from './demands.ts'
import { invite, type People } from './people.ts'

type Json = Answer['json']

interface World extends People {
  redhead: Uint8Array
  again: Uint8Array
  other: Uint8Array
  /** A collection that holds the redhead. */
  collection: string
  person: Json
}

describe.skipIf(testedRuntime === 'workers')('the contract of collections', () => {
  let world: World

  beforeAll(async () => {
    const people = await invite('Seed of collections')
    const [redhead, again] = [await portrait('redhead'), await portrait('redheadAgain')]
    const other = await portrait('brunette')
    const made = await call(people.manager.token, 'POST', '/api/collections/', { alias: 'blacklist' })
    const collection = made.json.collection_id
    const { json: person } = await enrol(people.manager, collection, redhead)
    world = { ...people, redhead, again, other, collection, person }
  })

  const personsOf = (collection: string) => `/api/collections/${collection}/persons/`
  const enrol = (by: Signed, collection: string, photo: Uint8Array) =>
    upload(by.token, personsOf(collection), form([file('photo', photo)]))
  const search = async (
    { client, collection }: World,
    photo: Uint8Array,
    rest: object = {},
    tags: object = {},
  ) => {
    const params = { collection_id: collection }
    const payload = { 'media:tags': tags, analyses: [{ type: 'collection', params, ...rest }] }
    return upload(client.token, '/api/folders/', form([file('photo', photo)], payload))
  }

  itMeets(
    () => world,
    [
      {
        line: 'F7, F294',
        says: 'a person of the collection is found on another photo, and the analysis is declined',
        call: (all) => search(all, all.again),
        status: 201,
        body: { analyses: [{ type: 'COLLECTION', state: 'FINISHED', resolution: 'DECLINED' }] },
        holds({ analyses: [{ results_media }] }, { person, collection }) {
          const [hit] = results_media[0].collection_persons
          expect(hit).toMatchObject({ person_id: person.person_id, collection_id: collection })
          expect(hit.confidence).toBeGreaterThanOrEqual(0.85)
        },
      },
      {
        line: 'F7, F294',
        says: 'somebody else is not found, and the analysis is a success',
        call: (all) => search(all, all.other),
        body: { analyses: [{ resolution: 'SUCCESS', results_media: [{ collection_persons: [] }] }] },
      },
      {
        line: 'F291',
        says: 'an analysis of a collection has no attributes collection and person',
        call: (all) => search(all, all.again),
        holds({ analyses: [analysis] }) {
          for (const record of [analysis, ...analysis.results_media]) {
            expect(record).not.toHaveProperty('collection')
            expect(record).not.toHaveProperty('person')
          }
        },
      },
      {
        line: 'F174, F288',
        says: 'the back of a document is not searched for',
        call: (all) => search(all, all.again, {}, { photo: ['photo_id_back'] }),
        status: 400,
        body: { error_message: "Can't start analysis without media" },
      },
      {
        line: 'F174',
        says: 'its front is',
        call: (all) => search(all, all.again, {}, { photo: ['photo_id', 'photo_id_front'] }),
        body: { analyses: [{ resolution: 'DECLINED' }] },
      },
      {
        line: 'F7',
        says: 'a collection that does not exist is refused',
        call: (all) => search(all, all.again, { params: { collection_id: crypto.randomUUID() } }),
        status: 400,
        body: { error_code: 4 },
      },
      {
        line: 'F16',
        says: 'Instant keeps no persons, so it searches no collections',
        call: ({ again, collection }) => {
          const analyses = [{ type: 'collection', params: { collection_id: collection } }]
          return postForm('/api/instant/folders/', form([file('photo', again)], { analyses }))
        },
        status: 400,
        body: { error_code: 4 },
      },
      {
        line: 'F198',
        says: 'the persons of a collection are listed with their photos',
        call: ({ client, collection }) => call(client.token, 'GET', personsOf(collection)),
        holds(persons, { person }) {
          expect(persons).toEqual([person])
          expect(persons[0].images[0].media_id).toMatch(/^[\da-f-]{36}$/)
        },
      },
      {
        line: 'F198',
        says: 'persons are listed in pages',
        call: ({ client, collection }) =>
          call(client.token, 'GET', `${personsOf(collection)}?offset=1&limit=1`),
        holds: (persons) => expect(persons).toEqual([]),
      },
      {
        line: 'F199, F273',
        says: 'a photo of a person is deleted, its file too, and it is found no more',
        async call({ manager, collection, other }) {
          const { json: person } = await enrol(manager, collection, other)
          const image = person.images[0]
          const path = `${personsOf(collection)}${person.person_id}/images/${image.media_id}/`
          return { ...(await call(manager.token, 'DELETE', path)), json: image }
        },
        status: 204,
        async holds({ original_url, media_id }, all) {
          expect((await send(new URL(original_url).pathname)).status).toBe(404)
          expect((await call(all.manager.token, 'GET', `/api/media/${media_id}/snapshot`)).status).toBe(404)
          expect((await search(all, all.other)).json.analyses[0].resolution).toBe('SUCCESS')
        },
      },
      ...['images', 'media'].map((path) => ({
        line: 'F273',
        says: `a photo of a person is deleted as before API 6: ${path}`,
        async call({ manager, collection, other }: World) {
          const { json } = await enrol(manager, collection, other)
          return call(manager.token, 'DELETE', `/api/${path}/${json.images[0].media_id}`)
        },
        status: 204,
      })),
      {
        line: 'F296',
        says: 'a collection itself is not changed by PATCH',
        call: ({ manager, collection }) =>
          call(manager.token, 'PATCH', `/api/collections/${collection}`, { alias: 'another' }),
        status: 405,
        body: { error_code: 1 },
      },
    ],
  )
})
