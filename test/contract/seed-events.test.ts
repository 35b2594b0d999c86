/** What the contract demands of webhooks, and of the telemetry of apps. */
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { portrait } from '../fixtures/portraits.ts'
import { testedRuntime } from '../fixtures/server.ts'
import { Receiver } from '../fixtures/webhook-receiver.ts'
import { type Answer, file, form } from '../http/client.ts'
import { call, finished, upload } from '../http/persistent/service.ts'
import { type Demand, itMeets } from './demands.ts'
import { invite, type People } from './people.ts'

type Json = Answer['json']

interface World extends People {
  photo: Uint8Array
  /** Event sessions of the client, the oldest first. */
  sessions: Json[]
}

const quality = { type: 'quality', params: { threshold_spoofing: 1 } }

describe.skipIf(testedRuntime === 'workers')('the contract of events', () => {
  const receiver = new Receiver()
  let world: World

  beforeAll(async () => {
    await receiver.start()
    const people = await invite('Seed of events')
    const sessions: Json[] = []
    for (const event of ['liveness_check_start', 'liveness_check_finish', 'error']) {
      const body = { device: { model: 'SM-A515F' }, events: [{ event, timestamp: 1_700_000_000.5 }] }
      sessions.push((await call(people.client.token, 'POST', '/api/event_sessions', body)).json)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    world = { ...people, sessions, photo: await portrait('redhead') }
  })

  afterAll(() => receiver.stop())

  const submit = ({ client, photo }: World, payload: object) =>
    upload(client.token, '/api/folders/', form([file('one', photo)], payload))
  const start = async (all: World, made: object, started: object): Promise<Answer> => {
    const { json } = await submit(all, made)
    const path = `/api/folders/${json.folder_id}`
    const begun = await call(all.client.token, 'POST', `${path}/analyses`, {
      analyses: [quality],
      ...started,
    })
    await finished(all.client.token, begun.json[0].analysis_id)
    return call(all.client.token, 'GET', `${path}?with_analyses=true`)
  }
  const events = ({ manager }: World, query: string) =>
    call(manager.token, 'GET', `/api/event_sessions?${query}`)
  /** A row that lists the sessions of the company, and names the indices of those that must be found, in order. */
  const lists = (query: string, make: (sessions: Json[]) => string, found: number[]): Demand<World> => ({
    line: 'F197, F293',
    says: `event sessions are listed by ${query}`,
    call: (all) => events(all, `sorting=time_created{asc}&${make(all.sessions)}`),
    holds: ({ items }, { sessions }) =>
      expect(
        items.map(({ session_id }: Json) => sessions.findIndex((known) => known.session_id === session_id)),
      ).toEqual(found),
  })
  const settings = '/api/device_settings'

  itMeets(
    () => world,
    [
      {
        line: 'F20, F221',
        says: 'the result of many requests is delivered to the address of the folder',
        call: (all) => start(all, { resolution_endpoint: `${receiver.endpoint}/folder` }, {}),
        body: { resolution_status: 'FINISHED' },
        async holds({ folder_id, analyses }) {
          const [webhook] = await receiver.expect('/folder')
          expect(webhook!.json).toMatchObject({
            ...{ folder_id, resolution_status: 'FINISHED', system_resolution: 'SUCCESS' },
            analyses: [{ analysis_id: analyses[0].analysis_id, resolution_status: 'SUCCESS' }],
          })
        },
      },
      {
        line: 'F221',
        says: 'the result is delivered to the address that started the analyses',
        call: (all) => start(all, {}, { resolution_endpoint: `${receiver.endpoint}/started` }),
        body: { resolution_endpoint: expect.stringMatching(/\/started$/) },
        async holds({ folder_id }) {
          expect((await receiver.expect('/started'))[0]!.json.folder_id).toBe(folder_id)
        },
      },
      {
        line: 'F222',
        says: 'a single request has its result in the answer, and needs no event',
        call: (all) => submit(all, { analyses: [quality] }),
        body: { resolution_status: 'FINISHED', resolution_endpoint: null },
      },
      {
        line: 'F168',
        says: 'a single request with an address has it called too',
        call: (all) =>
          submit(all, { analyses: [quality], resolution_endpoint: `${receiver.endpoint}/single` }),
        async holds({ folder_id }) {
          expect((await receiver.expect('/single'))[0]!.json.folder_id).toBe(folder_id)
        },
      },
      ...['foo', 'ftp://vivace.test/', 'https://', 7].map(
        (resolution_endpoint): Demand<World> => ({
          line: 'F35',
          says: `what is no callback address is refused: ${resolution_endpoint}`,
          call: (all) => submit(all, { resolution_endpoint }),
          status: 400,
          holds: ({ error_code }) => expect([4, 5]).toContain(error_code),
        }),
      ),
      {
        line: 'F10',
        says: 'an app reports events, which are kept as they are',
        call: ({ manager, sessions }) =>
          call(manager.token, 'GET', `/api/event_sessions/${sessions[0].session_id}/records`),
        body: {
          items: [
            {
              ...{ event: 'liveness_check_start', timemark: 1_700_000_000.5 },
              record: { event: 'liveness_check_start', timestamp: 1_700_000_000.5 },
            },
          ],
        },
      },
      lists('nothing', () => '', [0, 1, 2]),
      lists('session_id', ([, one]) => `session_id=${one.session_id}`, [1]),
      lists('session_id.exclude', ([, one]) => `session_id.exclude=${one.session_id}`, [0, 2]),
      lists('time_created', ([, one]) => `time_created=${one.time_created}`, [1]),
      lists('time_created.min', ([, one]) => `time_created.min=${one.time_created}`, [1, 2]),
      lists('time_created.max', ([, one]) => `time_created.max=${one.time_created}`, [0, 1]),
      lists('time_updated', ([, one]) => `time_updated=${one.time_updated}`, [1]),
      lists('time_updated.min', ([, one]) => `time_updated.min=${one.time_updated}`, [1, 2]),
      lists('time_updated.max', ([, one]) => `time_updated.max=${one.time_updated}`, [0, 1]),
      lists('offset and limit', () => 'offset=1&limit=1', [1]),
      {
        line: 'F197',
        says: 'total_omit leaves the count of event sessions out',
        call: (all) => events(all, 'total_omit=true'),
        body: { total_count: null, offset: 0, limit: 100 },
        async holds(_, all) {
          expect((await events(all, '')).json.total_count).toBe(3)
        },
      },
      {
        line: 'F197',
        says: 'a filter that event sessions do not have is refused',
        call: (all) => events(all, 'sesion_id=1'),
        status: 400,
        holds: ({ error_message }) => expect(error_message).toContain('session_id'),
      },
      {
        line: 'F197',
        says: 'event sessions of other companies are not listed',
        async call() {
          const { manager } = await invite('Seed of other events')
          return call(manager.token, 'GET', '/api/event_sessions')
        },
        body: { total_count: 0, items: [] },
      },
      {
        line: 'F10',
        says: 'a device model has settings, which ADMIN writes and apps read without a token',
        call: ({ admin }) => call(admin.token, 'POST', settings, { model: 'Seed 1*', settings: { fps: 15 } }),
        async holds(_, { admin, client }) {
          const read = (model: string) => call(null, 'GET', `${settings}?model=${encodeURIComponent(model)}`)
          expect((await read('seed 1 pro')).json.settings).toEqual({ fps: 15 })
          expect((await read('seed 2')).json.settings).toEqual({})
          const refused = await call(client.token, 'POST', settings, { model: 'Seed 2', settings: {} })
          expect(refused.status).toBe(403)
          await call(admin.token, 'DELETE', `${settings}?model=${encodeURIComponent('Seed 1*')}`)
          expect((await read('seed 1 pro')).json.settings).toEqual({})
        },
      },
    ],
  )
})
