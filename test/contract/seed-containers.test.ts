/** What the contract demands of secure containers. */
import { beforeAll, describe, expect } from 'vitest'
import type { SealedMedium } from '../../client/seal.ts'
import { containerPart, mediumPart, payloadPart } from '../fixtures/containers.ts'
import { ramp, writePng } from '../fixtures/pictures.ts'
import { portrait } from '../fixtures/portraits.ts'
import { testedRuntime } from '../fixtures/server.ts'
import { postBytes } from '../http/client.ts'
import { postContainer, sealFor, sealPartsFor } from '../http/persistent/sealed.ts'
import { call } from '../http/persistent/service.ts'
import { itMeets } from './demands.ts'
import { invite, type People } from './people.ts'

interface World extends People {
  photo: Uint8Array<ArrayBuffer>
}

const quality = { analyses: [{ type: 'quality' }] }
const invalid = (error_code: number) => ({ error_code, error_message: 'Invalid request data' })
const selfie = ({ photo }: World): SealedMedium => ({ name: 'selfie', bytes: photo, tags: ['photo_selfie'] })
const capture = (world: World, payload: object = quality) => sealFor(world.client, payload, [selfie(world)])

describe.skipIf(testedRuntime === 'workers')('the contract of secure containers', () => {
  let world: World

  beforeAll(async () => {
    world = {
      ...(await invite('Seed of containers')),
      photo: new Uint8Array(await portrait('redhead')),
    }
  })

  itMeets(
    () => world,
    [
      {
        line: 'F146',
        says: 'a container is answered with the folder, its media and its analyses',
        call: async (all) => postContainer(all.client, await capture(all)),
        body: {
          system_resolution: 'SUCCESS',
          media: [{ tags: ['photo_selfie'] }],
          analyses: [{ type: 'QUALITY' }],
        },
      },
      {
        line: 'F43',
        says: 'a container without analyses is answered with an empty list of them',
        call: async (all) => postContainer(all.client, await capture(all, {})),
        body: { media: [{ tags: ['photo_selfie'] }], decline_reason: null },
        holds: ({ analyses }) => expect(analyses).toEqual([]),
      },
      {
        line: 'F147',
        says: 'Instant answers a container with a folder that is not stored',
        call: async (all) => postContainer(all.client, await capture(all), '/api/instant/folders/'),
        status: 200,
        body: { analyses: [{ resolution_status: 'SUCCESS' }] },
        async holds({ folder_id }, { admin }) {
          expect((await call(admin.token, 'GET', `/api/folders/${folder_id}`)).status).toBe(404)
        },
      },
      {
        line: 'F148',
        says: 'a container is sent into an existing folder',
        async call(all) {
          const { folder_id } = (await call(all.client.token, 'POST', '/api/folders/', {})).json
          return postContainer(all.client, await capture(all, {}), `/api/folders/${folder_id}/media`)
        },
        status: 201,
        body: [{ tags: ['photo_selfie'] }],
      },
      {
        line: 'F21',
        says: 'a container is bound to one capture session: the same one is refused',
        async call(all) {
          const body = await capture(all)
          await postContainer(all.client, body)
          return postContainer(all.client, body)
        },
        status: 400,
        body: invalid(14),
      },
      {
        line: 'F241',
        says: 'a container without payload.json is refused with code 3',
        call: async ({ client, photo }) =>
          postContainer(client, await sealPartsFor(client, [mediumPart('selfie', photo)])),
        status: 400,
        body: invalid(3),
      },
      {
        line: 'F242',
        says: 'a container without media is refused with code 4',
        call: async ({ client }) => postContainer(client, await sealPartsFor(client, [payloadPart(quality)])),
        status: 400,
        body: invalid(4),
      },
      {
        line: 'F243',
        says: 'a damaged container is refused with code 5',
        call: async (all) => postContainer(all.client, (await capture(all)).slice(0, -1)),
        status: 400,
        body: invalid(5),
      },
      ...[
        ['/api/folders/', 'a single request'],
        ['/api/instant/folders/', 'Instant'],
        ['media', 'media of a folder'],
      ].map(([path, name]) => ({
        line: 'F285',
        says: `a medium that is no picture has the one message of containers too: ${name}`,
        async call({ client }: World) {
          const body = await sealPartsFor(client, [
            payloadPart(quality),
            mediumPart('selfie', new TextEncoder().encode('no picture')),
          ])
          if (path !== 'media') return postContainer(client, body, path)
          const { folder_id } = (await call(client.token, 'POST', '/api/folders/', {})).json
          return postContainer(client, body, `/api/folders/${folder_id}/media`)
        },
        status: 400,
        body: {
          ...invalid(5),
          details: { key_path: 'selfie', reason: 'format', message: expect.stringMatching(/JPEG/) },
        },
      })),
      {
        line: 'F244',
        says: 'a container that was not received is refused with code 13',
        call: ({ client }) => postContainer(client, new Uint8Array(0)),
        status: 400,
        body: invalid(13),
      },
      {
        line: 'F245',
        says: 'a repeated analysis after a failed one is refused with code 14',
        async call(all) {
          const blank = { ...selfie(all), bytes: new Uint8Array(writePng(ramp(320, 240), 'rgb8')) }
          const { json } = await postContainer(all.client, await sealFor(all.client, quality, [blank]))
          expect(json.system_resolution).toBe('FAILED')
          return call(all.client.token, 'POST', `/api/folders/${json.folder_id}/analyses/`, quality)
        },
        status: 400,
        body: invalid(14),
      },
      {
        line: 'F247',
        says: 'a container without authorization gets the error of authorization',
        call: async (all) => postBytes('/api/folders/', await capture(all), 'application/octet-stream'),
        status: 401,
        body: { error_code: 6 },
      },
      {
        line: 'F285',
        says: 'containers are nested',
        async call({ client, photo }) {
          const inner = await sealPartsFor(client, [mediumPart('inner', photo, ['photo_selfie'])])
          return postContainer(
            client,
            await sealPartsFor(client, [payloadPart(quality), containerPart(inner)]),
          )
        },
        body: { system_resolution: 'SUCCESS', media: [{ tags: ['photo_selfie'] }] },
      },
    ],
  )
})
