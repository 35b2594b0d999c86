/** What the contract demands of metadata, which any object may carry. */
import { beforeAll, describe, expect } from 'vitest'
import { portrait } from '../fixtures/portraits.ts'
import { testedRuntime } from '../fixtures/server.ts'
import { file, form, send } from '../http/client.ts'
import { call, tokenHeader, upload } from '../http/persistent/service.ts'
import { type Demand, itMeets } from './demands.ts'
import { invite, type People } from './people.ts'

interface World extends People {
  /** Paths of objects, each with the metadata {"set": "at creation"}. */
  paths: Record<string, string>
  /** Paths of lists that show them. */
  lists: Record<string, string>
}

const set = { set: 'at creation' }
/** No double has this value. */
const long = '12345678901234567890'

describe.skipIf(testedRuntime === 'workers')('the contract of metadata', () => {
  let world: World

  beforeAll(async () => {
    const people = await invite('Seed of metadata')
    const { admin, manager, company } = people
    const photo = await portrait('redhead')
    const payload = {
      ...{ 'folder:meta_data': set, 'media:meta_data': { one: set } },
      analyses: [{ type: 'quality', meta_data: set }],
    }
    const { json: folder } = await upload(manager.token, '/api/folders/', form([file('one', photo)], payload))
    const { json: list } = await call(manager.token, 'POST', '/api/collections/', {
      alias: 'list',
      meta_data: set,
    })
    const persons = `/api/collections/${list.collection_id}/persons/`
    const enrolment = form([file('one', photo)], { 'person:meta_data': set })
    const { json: person } = await upload(manager.token, persons, enrolment)
    const credentials = { email: `seed-${crypto.randomUUID()}@vivace.test`, password: 'a password of a test' }
    const profile = { company_id: company, user_type: 'CLIENT', meta_data: set }
    const { json: user } = await call(admin.token, 'POST', '/api/users/', { credentials, profile })
    const { json: firm } = await call(admin.token, 'POST', '/api/companies/', {
      name: 'Seed',
      meta_data: set,
    })
    const ofFolder = `/api/folders/${folder.folder_id}`
    world = {
      ...people,
      paths: {
        folder: ofFolder,
        medium: `/api/media/${folder.media[0].media_id}`,
        analysis: `/api/analyses/${folder.analyses[0].analysis_id}`,
        collection: `/api/collections/${list.collection_id}`,
        person: `${persons}${person.person_id}`,
        user: `/api/users/${user.user_id}`,
        company: `/api/companies/${firm.company_id}`,
      },
      lists: {
        folder: `/api/folders/?folder_id=${folder.folder_id}`,
        medium: `${ofFolder}/media/`,
        analysis: `${ofFolder}/analyses/`,
        collection: `/api/collections/?collection_id=${list.collection_id}`,
        person: persons,
        user: `/api/users/?user_id=${user.user_id}`,
        company: `/api/companies/?company_id=${firm.company_id}`,
      },
    }
  })

  /** ADMIN may write all metadata; one slash more or less makes no difference. */
  const write = ({ admin, paths }: World, object: string, method: string, body?: unknown, slash = '') =>
    call(admin.token, method, `${paths[object]}/meta_data${slash}`, body)

  const rows = (object: string, line: string): Demand<World>[] => [
    {
      line: 'F111, F189',
      says: `metadata of a ${object} are set at creation, and shown with it`,
      call: ({ admin, paths }) => call(admin.token, 'GET', paths[object]!),
      body: { meta_data: set },
      async holds({ meta_data }, all) {
        expect((await write(all, object, 'GET')).json).toEqual(meta_data)
      },
    },
    {
      line,
      says: `metadata of a ${object} change by PATCH, field by field`,
      call: (all) => write(all, object, 'PATCH', { a: { deep: [1, 'ä', null] }, b: 1.5 }, '/'),
      status: 200,
      async holds(json, all) {
        expect(json).toEqual({ ...set, a: { deep: [1, 'ä', null] }, b: 1.5 })
        expect((await write(all, object, 'PATCH', { a: 2, b: null })).json).toEqual({ ...set, a: 2 })
        expect((await call(all.admin.token, 'GET', all.paths[object]!)).json.meta_data).toEqual({
          ...set,
          a: 2,
        })
      },
    },
    {
      line,
      says: `what is no JSON object is no metadata of a ${object}`,
      call: (all) => write(all, object, 'PATCH', ['a']),
      status: 400,
      async holds(_, all) {
        expect((await write(all, object, 'GET')).json).toEqual({ ...set, a: 2 })
      },
    },
    {
      line: 'F111',
      says: `long numbers in metadata of a ${object} keep their digits`,
      call: ({ admin, paths }) =>
        send(`${paths[object]}/meta_data`, {
          method: 'PATCH',
          headers: tokenHeader(admin.token),
          body: `{"id": ${long}, "ids": [-${long}, {"as_text": "${long}"}], "set": null, "a": null}`,
        }),
      status: 200,
      async holds(_, { admin, paths, lists }, { text }) {
        const kept = `{"id": ${long}, "ids": [-${long}, {"as_text": "${long}"}]}`
        expect(text).toBe(kept)
        expect((await call(admin.token, 'GET', `${paths[object]}/meta_data`)).text).toBe(kept)
        for (const path of [paths[object]!, lists[object]!])
          expect((await call(admin.token, 'GET', path)).text).toContain(`"meta_data": ${kept}`)
        const again = await call(admin.token, 'PATCH', `${paths[object]}/meta_data`, { ids: null, small: 1 })
        expect(again.text).toBe(`{"id": ${long}, "small": 1}`)
      },
    },
    {
      line: 'F111',
      says: `metadata of a ${object} are deleted`,
      call: (all) => write(all, object, 'DELETE'),
      status: 204,
      async holds(_, all) {
        expect((await write(all, object, 'GET')).json).toEqual({})
      },
    },
    {
      line,
      says: `metadata of a ${object} are out of reach of other companies`,
      async call(all) {
        const { manager } = await invite('Seed of other metadata')
        return call(manager.token, 'PATCH', `${all.paths[object]}/meta_data`, { a: 1 })
      },
      status: 404,
      body: { error_code: 10 },
    },
  ]

  const list = ({ manager }: World, meta_data: string) =>
    call(manager.token, 'GET', `/api/folders/?${new URLSearchParams({ meta_data, with_analyses: 'true' })}`)

  itMeets(
    () => world,
    [
      {
        line: 'F111',
        says: 'long numbers of a payload are answered, listed and found by their digits',
        async call({ manager }) {
          const analyses = `[{"type": "quality", "meta_data": {"long": 1${long}}}]`
          const media = `{"one": {"long": -${long}}}`
          const payload = `{"folder:meta_data": {"long": ${long}}, "media:meta_data": ${media}, "analyses": ${analyses}}`
          return upload(
            manager.token,
            '/api/folders/',
            form([file('one', await portrait('redhead'))], payload),
          )
        },
        status: 201,
        async holds({ folder_id }, all, { text }) {
          const kept = [long, `-${long}`, `1${long}`].map((number) => `"meta_data": {"long": ${number}}`)
          const found = await list(all, `long==${long}`)
          for (const shown of [text, found.text]) for (const part of kept) expect(shown).toContain(part)
          const idsOf = async (condition: string) =>
            (await list(all, condition)).json.items.map((folder: { folder_id: string }) => folder.folder_id)
          expect(await idsOf(`long==${long}`)).toEqual([folder_id])
          expect(await idsOf('long>12000000000000000000')).toEqual([folder_id])
          // The next number of a double.
          expect(await idsOf('long==12345678901234567168')).toEqual([])
          expect(await idsOf(`long!=${long}`)).toEqual([])
        },
      },
      {
        line: 'F111',
        says: 'Instant answers long numbers with their digits',
        async call({ manager }) {
          const payload = `{"folder:meta_data": {"long": ${long}}, "analyses": [{"type": "quality"}]}`
          const parts = form([file('one', await portrait('redhead'))], payload)
          return upload(manager.token, '/api/instant/folders/', parts)
        },
        status: 200,
        holds: (_, __, { text }) => expect(text).toContain(`"meta_data": {"long": ${long}}`),
      },
      {
        line: 'F111',
        says: 'a long number where none can be is refused',
        call: ({ manager }) =>
          send('/api/folders/', {
            method: 'POST',
            headers: tokenHeader(manager.token),
            body: `{"folder:meta_data": ${long}}`,
          }),
        status: 400,
        body: { error_code: 5, details: { key_path: 'folder:meta_data', expected: 'an object' } },
      },
    ],
  )

  itMeets(
    () => world,
    Object.entries({
      ...{ folder: 'F183', medium: 'F184', analysis: 'F185', collection: 'F186', person: 'F187' },
      ...{ user: 'F139', company: 'F111' },
    }).flatMap(([object, line]) => rows(object, line)),
  )
})
