/** What the contract demands of null: an optional member that is null is not given. */
import { beforeAll, describe, expect } from 'vitest'
import { portrait } from '../fixtures/portraits.ts'
import { testedRuntime } from '../fixtures/server.ts'
import { file, form, postForm } from '../http/client.ts'
import { call, createUser, upload } from '../http/persistent/service.ts'
import { itMeets } from './demands.ts'
import { invite, type People } from './people.ts'

interface World extends People {
  photo: Uint8Array
}

const quality = { analyses: [{ type: 'quality' }] }
const flags = {
  ...{ is_admin: null, is_service: null, is_active: null, company_id: null, user_type: null },
  ...{ can_start_analysis_quality: null, can_start_analyse_biometry: null, meta_data: null },
}

describe.skipIf(testedRuntime === 'workers')('the contract of members that are null', () => {
  let world: World

  beforeAll(async () => {
    world = { ...(await invite('Seed of nulls')), photo: await portrait('redhead') }
  })

  const newUser = ({ admin, company }: World) => createUser(admin.token, company, 'CLIENT')

  itMeets(
    () => world,
    [
      {
        line: 'F155',
        says: 'analyses of a folder',
        call: ({ client }) => call(client.token, 'POST', '/api/folders/', { analyses: null }),
        status: 201,
        body: { media: [], resolution_status: 'INITIAL' },
      },
      {
        line: 'F148, F149, F155',
        says: 'analyses where media are added',
        async call({ client, photo }) {
          const { folder_id } = (await call(client.token, 'POST', '/api/folders/', {})).json
          const payload = { analyses: null, 'media:tags': null, resolution_endpoint: null }
          return upload(client.token, `/api/folders/${folder_id}/media`, form([file('a', photo)], payload))
        },
        status: 201,
        body: [{ tags: [] }],
      },
      {
        line: 'F155',
        says: 'analyses are the one member that Instant requires',
        call: ({ photo }) => postForm('/api/instant/folders/', form([file('a', photo)], { analyses: null })),
        status: 400,
        body: { error_code: 3, details: { key_path: 'analyses' } },
      },
      {
        line: 'F138',
        says: 'members of a new user',
        call: ({ admin, company }) =>
          call(admin.token, 'POST', '/api/users/', {
            credentials: { email: `null-${Date.now()}@vivace.test`, password: 'a password of a test' },
            profile: { ...flags, company_id: company, first_name: null },
            user_type: null,
          }),
        status: 201,
        body: {
          ...{ user_type: 'CLIENT', is_active: true, first_name: null, meta_data: {} },
          can_start_analysis_biometry: true,
        },
      },
      {
        line: 'F139',
        says: 'members of a changed user, at both places; a name that is null is removed',
        async call(all) {
          const { userId } = await newUser(all)
          const first = { is_active: false, first_name: 'Ada', meta_data: { a: 1 } }
          await call(all.admin.token, 'PATCH', `/api/users/${userId}`, first)
          const profile = { is_active: true, last_name: 'King' }
          const body = { ...flags, first_name: null, profile, credentials: null, email: null, password: null }
          return call(all.admin.token, 'PATCH', `/api/users/${userId}`, body)
        },
        body: {
          ...{ user_type: 'CLIENT', is_active: true, meta_data: { a: 1 } },
          ...{ first_name: null, last_name: 'King' },
        },
      },
      {
        line: 'F139',
        says: 'members that users may not change themselves',
        call: ({ client }) =>
          call(client.token, 'PATCH', `/api/users/${client.userId}`, { ...flags, first_name: 'Ada' }),
        body: { first_name: 'Ada', is_active: true },
      },
      {
        line: 'F140',
        says: 'one of the two names of a new password',
        async call(all) {
          const { userId, token, password } = await newUser(all)
          const body = { old_password: password, new_password: null, password: 'another password of a test' }
          return call(token, 'POST', `/api/users/${userId}/change-password`, body)
        },
      },
      {
        line: 'F137',
        says: 'metadata of a company, and its name where it is changed',
        async call({ admin }) {
          const named = { name: 'Nulls', meta_data: null }
          const { json } = await call(admin.token, 'POST', '/api/companies/', named)
          const change = { name: null, meta_data: null }
          return call(admin.token, 'PATCH', `/api/companies/${json.company_id}`, change)
        },
        body: { name: 'Nulls', meta_data: {} },
      },
      {
        line: 'F72',
        says: 'the comment and the other name of a decision',
        async call({ client, reviewer, photo }) {
          const { json } = await upload(client.token, '/api/folders/', form([file('a', photo)], quality))
          const id = json.analyses[0].analysis_id
          const body = { resolution_operator: 'DECLINED', resolution_status: null, resolution_comment: null }
          return call(reviewer.token, 'PATCH', `/api/analyses/${id}`, body)
        },
        body: { resolution_operator: 'DECLINED' },
      },
      {
        line: 'F198',
        says: 'the list of persons where one is enrolled',
        async call({ manager, photo }) {
          const alias = crypto.randomUUID()
          const { json } = await call(manager.token, 'POST', '/api/collections/', { alias, company_id: null })
          const payload = { persons: null, 'person:meta_data': null, 'media:tags': null }
          const path = `/api/collections/${json.collection_id}/persons`
          return upload(manager.token, path, form([file('a', photo)], payload))
        },
        status: 201,
        holds: ({ images }) => expect(images).toHaveLength(1),
      },
    ],
  )
})
