/** Statistics and billing (F136, F195), on a database file and on a libSQL server, and of a server without a database. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testCodecs } from '../../fixtures/codecs.ts'
import { databaseUrlIn, openServedDatabase } from '../../fixtures/database.ts'
import { hasLibsqlServer, type LibsqlServer, startLibsqlServer } from '../../fixtures/libsql-server.ts'
import { ramp } from '../../fixtures/pictures.ts'
import { portrait } from '../../fixtures/portraits.ts'
import { recount, storedCounts } from '../../fixtures/recount.ts'
import { startServer, type TestServer, testedRuntime } from '../../fixtures/server.ts'
import { type Answer, file, form } from '../client.ts'
import { call, createCompany, createUser, finished, type Signed, signIn, upload } from './service.ts'

const account = { SVC_ADMIN_EMAIL: 'root@vivace.test', SVC_ADMIN_PASSWORD: 'a password' }
const common = { ...account, ASSESS_WORKERS: '1' }
const quality = { type: 'quality', params: { threshold_spoofing: 1 } }
const strict = { type: 'quality', params: { threshold_spoofing: 0 } }
const instant = '/api/instant/folders/'
const today = new Date().toISOString().slice(0, 10)

describe.skipIf(testedRuntime === 'workers').each(['a database file', 'a libSQL server'])(
  'statistics in %s',
  (kind) => {
    const isRemote = kind === 'a libSQL server'
    const skip = isRemote && !hasLibsqlServer
    let remote: LibsqlServer | undefined
    let folder: string
    let databaseUrl: string
    let server: TestServer
    let admin: Signed
    let manager: Signed
    let client: Signed
    let stranger: Signed

    const ask = (user: Signed | null, method: string, target: string, body?: unknown): Promise<Answer> =>
      call(user?.token ?? null, method, target, body, server.url)
    const statistics = async (query: string, user = manager) => {
      const { status, json } = await ask(user, 'GET', `/api/statistics?${query}`)
      expect(status).toBe(200)
      return json
    }

    beforeAll(async () => {
      if (skip) return
      if (isRemote) remote = await startLibsqlServer()
      folder = await mkdtemp(path.join(tmpdir(), 'vivace-statistics-'))
      databaseUrl = remote?.url ?? databaseUrlIn(folder)
      server = await startServer({ ...common, DATABASE_URL: databaseUrl, DATA_DIR: folder })
      const base = server.url
      admin = await signIn(account.SVC_ADMIN_EMAIL, account.SVC_ADMIN_PASSWORD, base)
      const company = await createCompany(admin.token, 'Counted', base)
      manager = await createUser(admin.token, company, 'CLIENT_ADMIN', base)
      client = await createUser(admin.token, company, 'CLIENT', base)
      const elsewhere = await createCompany(admin.token, 'Counted elsewhere', base)
      stranger = await createUser(admin.token, elsewhere, 'CLIENT_ADMIN', base)

      const photos = [file('a', await portrait('redhead')), file('b', await portrait('redheadAgain'))]
      const nobody = file('c', await testCodecs.encodeJpeg({ image: ramp(320, 240), quality: 80 }))
      const submit = async (user: Signed, files: typeof photos, analyses: object[], to = '/api/folders/') => {
        const { status, json, text } = await upload(user.token, to, form(files, { analyses }), base)
        expect([status < 300, text.slice(0, 300)]).toEqual([true, expect.anything()])
        return json
      }
      // Of the company: four QUALITY, one BIOMETRY. One of them in the background, one on Instant, one fails.
      await submit(client, photos, [quality, { type: 'biometry' }])
      await submit(client, [photos[0]!], [strict])
      const { folder_id } = await submit(client, [nobody], [quality])
      const begun = await ask(client, 'POST', `/api/folders/${folder_id}/analyses`, { analyses: [quality] })
      await finished(client.token, begun.json[0].analysis_id, base)
      await submit(client, [photos[0]!], [quality], instant)
      await submit(stranger, [photos[0]!], [quality])
    })

    afterAll(async () => {
      await server?.stop()
      await remote?.close()
      if (folder) await rm(folder, { recursive: true, force: true })
    })

    it.skipIf(skip)('statistics are counted by type, verdict, company and time', async () => {
      const { items, total, ...answer } = await statistics('')
      expect(items.map(({ type, count }: Answer['json']) => [type, count])).toEqual([
        ['QUALITY', 4],
        ['BIOMETRY', 1],
      ])
      const [liveness, match] = items
      expect(liveness.system_resolutions).toEqual({ DECLINED: 1, FAILED: 2, SUCCESS: 1 })
      expect(match.system_resolutions).toEqual({ SUCCESS: 1 })
      expect(liveness.scores).toMatchObject({ count: 2, bins: expect.any(Array), thresholds: [0.5] })
      expect(match.scores.thresholds).toEqual([0.85])
      expect(liveness.scores.bins.reduce((a: number, b: number) => a + b)).toBe(2)
      expect(match.scores.bins.slice(10).reduce((a: number, b: number) => a + b)).toBe(1)
      expect(liveness.latency.count).toBe(4)
      const { p50, p90, p95, p99 } = liveness.latency
      expect([p50 > 0, p50 <= p90, p90 <= p95, p95 <= p99, p99 < 60]).toEqual(Array(5).fill(true))
      expect(total).toMatchObject({ count: 5, scores: null })
      expect(answer).toMatchObject({ offset: 0, limit: 100, total_count: 2 })
      expect(answer.time_created.max * 1000).toBeGreaterThan(Date.now())
      // Instant is counted for billing, and nothing else of it.
      expect(answer.billing).toEqual({ from: '2000-01-01', count: 6, types: { BIOMETRY: 1, QUALITY: 5 } })
    })

    it.skipIf(skip)('statistics are grouped and filtered', async () => {
      const days = await statistics('group_by=day,system_resolution&sorting=time_created{asc}')
      expect(
        days.items.map(({ system_resolution, count }: Answer['json']) => [system_resolution, count]),
      ).toEqual([
        ['DECLINED', 1],
        ['FAILED', 2],
        ['SUCCESS', 2],
      ])
      expect(days.items[0].time_created % 86_400).toBe(0)
      const hours = await statistics('group_by=hour&type=BIOMETRY')
      expect(hours.items).toMatchObject([{ count: 1, scores: { count: 1 } }])
      expect(hours.billing).toMatchObject({ count: 1, types: { BIOMETRY: 1 } })
      expect((await statistics('group_by=')).items).toMatchObject([{ count: 5 }])
      const failed = await statistics('system_resolution=FAILED')
      expect(failed.items).toMatchObject([{ type: 'QUALITY', count: 2, latency: { count: 2 } }])
      const before = await statistics(`time_created.max=${Math.floor(Date.now() / 1000) - 7200}`)
      expect([before.items, before.total]).toEqual([[], null])
      const paged = await statistics('limit=1&offset=1&total_omit=true')
      expect([paged.items.map(({ type }: Answer['json']) => type), paged.total_count]).toEqual([
        ['BIOMETRY'],
        null,
      ])

      const companies = await statistics('group_by=company_id', admin)
      const counts = Object.fromEntries(
        companies.items.map(({ company_id, count }: Answer['json']) => [company_id, count]),
      )
      expect(counts).toEqual({ [client.companyId]: 5, [stranger.companyId]: 1 })
      expect(companies.billing.companies).toContainEqual({
        company_id: stranger.companyId,
        count: 1,
        types: { QUALITY: 1 },
      })
      expect((await statistics(`company_id=${stranger.companyId}`, admin)).total.count).toBe(1)
      expect((await statistics('', admin)).total.count).toBe(6)
    })

    it.skipIf(skip)(
      'statistics show a company its own analyses alone, and help with wrong queries',
      async () => {
        expect((await statistics('', stranger)).total.count).toBe(1)
        expect((await statistics('group_by=company_id')).items).toMatchObject([
          { company_id: client.companyId },
        ])
        const foreign = await statistics(`company_id=${client.companyId}`, stranger)
        expect([foreign.items, foreign.total, foreign.billing.count]).toEqual([[], null, 0])
        expect((await ask(client, 'GET', '/api/statistics')).status).toBe(403)
        expect((await ask(null, 'GET', '/api/statistics')).status).toBe(401)
        const refused = async (query: string) => {
          const { status, json } = await ask(manager, 'GET', `/api/statistics?${query}`)
          return [status, json.error_code, json.error_details.key_path]
        }
        expect(await refused('group_by=week')).toEqual([400, 4, 'group_by'])
        expect(await refused('group_by=hour&time_created.min=2026-01-01')).toEqual([
          400,
          4,
          'time_created.min',
        ])
        expect(await refused('resolution=SUCCESS')).toEqual([400, 4, 'resolution'])
        expect(await refused('type=PASSPORT')).toEqual([400, 4, 'type'])
        expect(await refused('sorting=type')).toEqual([400, 4, 'sorting'])
      },
    )

    it.skipIf(skip)('a time before all times has no statistics', async () => {
      for (const group of ['day', 'hour', 'type']) {
        const path = `/api/statistics?group_by=${group}&time_created.max=-8640000000000`
        const { status, json } = await ask(admin, 'GET', path)
        expect([status, json.total_count ?? json.items?.length ?? 0]).toEqual([200, 0])
      }
    })

    it.skipIf(skip)('statistics match a recount of the database', async () => {
      const database = openServedDatabase(databaseUrl)
      const counted = await storedCounts(database)
      expect(counted).toEqual(await recount(database))
      expect(Object.keys(counted).length).toBeGreaterThan(30)
      database.close()
    })

    it.skipIf(skip)(
      'F195: health shows the usage of the month to callers who may read statistics',
      async () => {
        const billing = async (user: Signed | null) => {
          const { status, json } = await ask(user, 'GET', '/api/healthcheck/')
          expect(status).toBe(200)
          return json.billing
        }
        const state = { status: 'ok', type: 'open-source', counted_in: 'database' }
        const month = { from: `${today.slice(0, 7)}-01`, count: 6, types: { BIOMETRY: 1, QUALITY: 5 } }
        expect(await billing(manager)).toEqual({ ...state, ...month })
        expect((await billing(admin)).count).toBe(7)
        for (const user of [null, client, { ...client, token: 'none' }])
          expect(await billing(user)).toEqual(state)
      },
    )
  },
)

describe.skipIf(testedRuntime === 'workers')('usage of an open server', () => {
  it('an Instant call without a token is billed to the company that it names', async () => {
    const server = await startServer({ ...common, SVC_AUTHORIZE_DISABLED_STATELESS: 'true' })
    try {
      const admin = await signIn(account.SVC_ADMIN_EMAIL, account.SVC_ADMIN_PASSWORD, server.url)
      const company = await createCompany(admin.token, 'Named', server.url)
      const manager = await createUser(admin.token, company, 'CLIENT_ADMIN', server.url)
      const photo = file('a', await portrait('redhead'))
      const named = await fetch(server.url + instant, {
        method: 'POST',
        headers: { 'X-Forensic-Company-Id': company },
        body: form([photo], { analyses: [quality] }),
      })
      expect(named.status).toBe(200)
      await upload(manager.token, '/api/folders/', form([photo], { analyses: [quality] }), server.url)
      const { json } = await call(manager.token, 'GET', '/api/healthcheck/', undefined, server.url)
      expect(json.billing).toMatchObject({ count: 2, types: { QUALITY: 2 } })
    } finally {
      await server.stop()
    }
  })
})

describe.skipIf(testedRuntime === 'workers')('usage without a database', () => {
  it('F136: a stateless server logs the usage of companies, without persons', async () => {
    const secret = { SVC_API_SECRET_KEY: 'one key for both services, long enough', ASSESS_WORKERS: '1' }
    const [whole, small] = await Promise.all([
      startServer({ ...account, ...secret }),
      startServer({ SVC_APP_COMPONENTS: 'auth,stateless', ...secret }),
    ])
    const admin = await signIn(account.SVC_ADMIN_EMAIL, account.SVC_ADMIN_PASSWORD, whole.url)
    const company = await createCompany(admin.token, 'Stateless', whole.url)
    const client = await createUser(admin.token, company, 'CLIENT', whole.url)
    const photo = file('a', await portrait('redhead'))
    for (let i = 0; i < 2; i++)
      expect(
        (await upload(client.token, instant, form([photo], { analyses: [quality] }), small.url)).status,
      ).toBe(200)
    const health = await call(null, 'GET', '/api/healthcheck/', undefined, small.url)
    expect(health.json.billing).toEqual({ status: 'ok', type: 'open-source', counted_in: 'log' })
    await Promise.all([whole.stop(), small.stop()])
    const lines = small.lines().filter((line) => line.includes('"event":"usage"'))
    const entries = lines.map((line) => JSON.parse(line))
    expect(Object.keys(entries[0]).sort()).toEqual(['counts', 'event', 'hour', 'level', 'time'])
    const counts = entries.flatMap((entry) => entry.counts)
    expect(counts.every((count) => count.company_id === company && count.type === 'QUALITY')).toBe(true)
    expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(2)
    expect(lines.join()).not.toContain(client.userId)
  })
})
