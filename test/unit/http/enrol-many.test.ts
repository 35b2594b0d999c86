/** An answer about many persons is a success; the server errors in it are logged. */
import { Hono } from 'hono'
import { expect, it } from 'vitest'
import type { PersistentServices } from '../../../src/compose/services.ts'
import { AppError } from '../../../src/errors.ts'
import type { AppEnv, Deps } from '../../../src/http/app-env.ts'
import { personRoutes } from '../../../src/http/full/persons.ts'
import type { PersonEnrolment } from '../../../src/records/collection.ts'
import { readSettings } from '../../../src/settings.ts'
import { incoming } from '../../fixtures/incoming.ts'

const requestId = '0b9a2c44-41c3-4f7b-8a34-2d3de0f5a922'
const collectionId = '5f0c1d5e-7a55-4d0e-9f35-3f9c7f6a1b11'

it('server errors of single persons are logged once per code, refusals are not', async () => {
  const logged: unknown[] = []
  const refused = (error: unknown): PersonEnrolment => ({ person: null, error, imageKeys: ['a'] })
  const outage = new AppError('external_failed', 'the blob store failed', { cause: 'open failed with EIO' })
  const results = [
    refused(new AppError('media_unreadable', 'The picture cannot be read')),
    refused(outage),
    refused(outage),
    refused(new AppError('overloaded', 'Too many media')),
  ]
  const deps = {
    settings: readSettings({}),
    platform: { log: (...line: unknown[]) => logged.push(line) },
  } as unknown as Deps
  const services = {
    collections: { find: async () => ({ id: collectionId }) },
    persons: { enrolMany: async () => results },
  } as unknown as PersistentServices
  const app = new Hono<AppEnv>()
    .use((c, next) => {
      c.set('requestId', requestId)
      c.set('authority', { principal: { companyId: null } } as never)
      c.set('incoming', incoming(c.req.raw))
      return next()
    })
    .route('/', personRoutes(deps, services))
  const body = new FormData()
  body.append('a', new Blob(['photo'], { type: 'image/jpeg' }), 'a.jpg')
  body.append('payload', JSON.stringify({ persons: [{ images: ['a'] }] }))
  const response = await app.request(`/${collectionId}/persons`, { method: 'POST', body })
  expect(response.status).toBe(201)
  expect(await response.json()).toHaveLength(4)
  expect(logged).toMatchObject([
    ['error', 'failure', { request_id: requestId, code: 'external_failed', cause: 'open failed with EIO' }],
    ['warn', 'failure', { request_id: requestId, code: 'overloaded' }],
  ])
})
