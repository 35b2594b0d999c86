import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toPrincipal } from '../../../src/accounts/sessions.ts'
import { CaptureLinkService, type WantedLink } from '../../../src/folders/capture-link-service.ts'
import { Authority } from '../../../src/identity/authority.ts'
import { randomBytes } from '../../../src/identity/passwords.ts'
import type { Submission } from '../../../src/records/folder.ts'
import { CaptureLinkStore } from '../../../src/storage/folders/capture-link-store.ts'
import { collectBatches } from '../../../src/storage/lists/batches.ts'
import { sessionDeps } from '../../fixtures/accounts.ts'
import { openTestDatabase, type TestDatabase } from '../../fixtures/database.ts'

const dayMs = 24 * 3600_000
const wanted: WantedLink = {
  mode: 'photo',
  analyses: [{ type: 'quality' }],
  metadata: {},
  language: null,
  returnUrl: null,
  resolutionEndpoint: null,
  stateEndpoint: null,
  uses: 1,
  consent: null,
  lifetimeMs: dayMs,
}

describe('CaptureLinkService', () => {
  let opened: TestDatabase
  let links: CaptureLinkService
  let store: CaptureLinkStore
  let author: Authority
  let nowMs = 1_800_000_000_000

  beforeAll(async () => {
    opened = await openTestDatabase()
    const { users } = await sessionDeps(opened.database, 'ada@example.com', 'secret')
    const { user } = (await users.credentials({ email: 'ada@example.com' }))!
    author = new Authority(toPrincipal(user, null))
    store = new CaptureLinkStore(opened.database)
    links = new CaptureLinkService({
      links: store,
      folders: {
        check: async () => {},
        create: async () => {
          throw new TypeError('nothing is captured here')
        },
      },
      hooks: { checkEndpoint: async () => {}, wakeWebhooks: () => {} },
      authorOf: async () => author,
      randomBytes,
      randomId: () => crypto.randomUUID(),
      nowMs: () => nowMs,
    })
  })
  afterAll(() => opened.close())

  const make = (more: Partial<WantedLink> = {}) =>
    links.create(author, author.creator('capture_link'), { ...wanted, ...more }, {} as Submission, {
      tags: [],
      medium: { kind: 'picture' },
    })
  const rows = async () => (await opened.client.execute('select secret_hash from capture_links')).rows

  it('a link takes captures until its time, is shown for 30 days more, and then removed', async () => {
    const { link, secret } = await make()
    const admit = () =>
      links.admit(secret).then(
        ({ link }) => link.id,
        ({ code, details }) => [code, details.state],
      )
    nowMs += dayMs - 1
    expect(await admit()).toBe(link.id)
    nowMs += 1
    expect(await admit()).toEqual(['link_ended', 'expired'])
    nowMs += 30 * dayMs
    await links.removeOld()
    expect(await rows()).toHaveLength(1)
    nowMs += 1
    await links.removeOld()
    expect(await rows()).toHaveLength(0)
  })

  it('links are listed as expired from their time on, unless they were used up or withdrawn', async () => {
    const all = [await make(), await make(), await make()]
    const [unused, used, withdrawn] = all.map(({ link }) => link.id)
    await opened.client.execute({
      sql: 'update capture_links set used = uses where id = unhex(?)',
      args: [used!.replaceAll('-', '')],
    })
    await store.withdraw(withdrawn!, nowMs)
    const scope = author.list('capture_link')
    const listed = async (state: string) => {
      const filters = [{ field: 'state', operator: 'in' as const, values: [state] }]
      const paging = { offset: 0, limit: null, totalOmit: true, sorting: [] }
      const { batches } = await links.list({ ...paging, filters }, scope)
      return (await collectBatches(batches)).map(({ id }) => id)
    }
    nowMs += dayMs - 1
    expect(await listed('expired')).toEqual([])
    expect(await listed('sent')).toEqual([unused])
    nowMs += 1
    expect(await listed('expired')).toEqual([unused])
    expect(await listed('captured')).toEqual([used])
    expect(await listed('withdrawn')).toEqual([withdrawn])
    nowMs += 31 * dayMs
    await links.removeOld()
  })

  it('of replicas, one tells that a link has expired, once', async () => {
    const { link } = await make({ stateEndpoint: 'https://shop.example/' })
    await make()
    const told = async () =>
      (await opened.client.execute('select state, url from outbox')).rows.map(({ state, url }) => [
        state,
        url,
      ])
    nowMs += dayMs - 1
    await links.tellExpired()
    expect(await told()).toEqual([])
    nowMs += 1
    await Promise.all([links.tellExpired(), links.tellExpired()])
    expect(await told()).toEqual([['expired', 'https://shop.example/']])
    await opened.client.execute('delete from outbox')
    await links.tellExpired()
    expect(await told()).toEqual([])
    // It can be withdrawn still.
    await store.withdraw(link.id, nowMs)
    expect(await told()).toEqual([['withdrawn', 'https://shop.example/']])
    expect(await store.find({ id: link.id })).toMatchObject({ stateEndpoint: null })
    nowMs += 31 * dayMs
    await links.removeOld()
    expect(await told()).toEqual([])
  })

  it('more links than are taken at once are told to have expired', async () => {
    for (let i = 0; i < 101; i++) await make({ stateEndpoint: 'https://shop.example/' })
    nowMs += dayMs
    await links.tellExpired()
    const { rows } = await opened.client.execute('select count(*) as n from outbox')
    expect(rows[0]?.n).toBe(101)
    nowMs += 31 * dayMs
    await links.removeOld()
  })

  it('a capture that was admitted before a withdrawal is not stored after it', async () => {
    const { link, secret } = await make()
    await links.admit(secret)
    await store.withdraw(link.id, nowMs)
    const taken = opened.database.write(store.take(link.id, crypto.randomUUID(), nowMs))
    await expect(taken).rejects.toMatchObject({ code: 'link_ended', details: { state: 'withdrawn' } })
    expect((await store.find({ id: link.id }))?.used).toBe(0)
  })

  it('the database does not hold the secret', async () => {
    const { secret } = await make()
    const [row] = await rows()
    expect(secret).toMatch(/^[0-9a-f]{32}$/)
    expect(row?.secret_hash).not.toContain(secret)
  })
})
