/** Secure containers in stored folders: once over all replicas, of the own company, with the reason of a refusal. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SealedMedium } from '../../../client/seal.ts'
import { databaseUrlIn, openServedDatabase } from '../../fixtures/database.ts'
import { hasLibsqlServer, type LibsqlServer, startLibsqlServer } from '../../fixtures/libsql-server.ts'
import { ramp, writePng } from '../../fixtures/pictures.ts'
import { portrait } from '../../fixtures/portraits.ts'
import { startServer, type TestServer, testedRuntime } from '../../fixtures/server.ts'
import { postBytes } from '../client.ts'
import { postContainer, sealFor } from './sealed.ts'
import {
  call,
  createCompany,
  createUser,
  finished,
  type Signed,
  signIn,
  signInAsAdmin,
  tokenHeader,
} from './service.ts'

const quality = { analyses: [{ type: 'quality' }] }
let photo: Uint8Array<ArrayBuffer>
beforeAll(async () => {
  photo = new Uint8Array(await portrait('redhead'))
})

const selfie = (change: Partial<SealedMedium> = {}): SealedMedium => ({
  name: 'selfie',
  bytes: photo,
  tags: ['photo_selfie'],
  ...change,
})

/** A container for a caller, with a new session token. */
const seal = (caller: Pick<Signed, 'token'>, payload: object = quality, media = [selfie()], base?: string) =>
  sealFor(caller, payload, media, base)
const post = postContainer

const codes = async (answer: ReturnType<typeof post>) => {
  const { status, json } = await answer
  return [status, json.error_code]
}

const countFolders = async ({ token }: Pick<Signed, 'token'>): Promise<number> =>
  (await call(token, 'GET', '/api/folders/')).json.total_count

describe.skipIf(testedRuntime === 'workers')('containers of stored folders', () => {
  let client: Signed
  let stranger: Signed
  beforeAll(async () => {
    const admin = await signInAsAdmin()
    client = await createUser(admin.token, await createCompany(admin.token, 'Containers'), 'CLIENT')
    stranger = await createUser(admin.token, await createCompany(admin.token, 'Strangers'), 'CLIENT')
  })

  it('a container is stored as a folder, once', async () => {
    const body = await seal(client)
    const { status, json } = await post(client, body)
    expect(status).toBe(201)
    expect(json).toMatchObject({
      company_id: client.companyId,
      system_resolution: 'SUCCESS',
      decline_reason: null,
    })
    const read = (await call(client.token, 'GET', `/api/folders/${json.folder_id}?with_analyses=true`)).json
    expect(read.media[0].technical_meta_data.capture).toMatchObject({ steps: null, frames: null })
    expect(read.media).toEqual(json.media)
    const before = await countFolders(client)
    expect(await codes(post(client, body))).toEqual([400, 14])
    expect(await countFolders(client)).toBe(before)
  })

  it('of containers that come at the same moment one is stored', async () => {
    const before = await countFolders(client)
    const body = await seal(client)
    const answers = await Promise.all(Array.from({ length: 5 }, () => post(client, body)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400, 400, 400, 400])
    expect(await countFolders(client)).toBe(before + 1)
  })

  it('a container of another company is refused, and stays usable for its own', async () => {
    const body = await seal(client)
    const before = await countFolders(stranger)
    expect(await codes(post(stranger, body))).toEqual([400, 14])
    expect(await countFolders(stranger)).toBe(before)
    expect(await codes(post(client, body))).toEqual([201, undefined])
  })

  it('a refused request leaves the session token usable, and stores nothing', async () => {
    const before = await countFolders(client)
    const body = await seal(client, { ...quality, resolution_endpoint: 'no address' })
    expect((await post(client, body)).status).toBe(400)
    const { json } = await post(client, body)
    expect(json.error_code).not.toBe(14)
    expect(await countFolders(client)).toBe(before)
  })

  it('a container that Instant answered is not stored afterwards', async () => {
    const body = await seal(client)
    expect(await codes(post(client, body, '/api/instant/folders/'))).toEqual([200, undefined])
    expect(await codes(post(client, body))).toEqual([400, 14])
  })

  it('a container without analyses opens a folder', async () => {
    const { status, json } = await post(client, await seal(client, {}))
    expect([status, json.resolution_status]).toEqual([201, 'INITIAL'])
  })

  it('a container is added to a folder of the company, once', async () => {
    const { folder_id } = (await call(client.token, 'POST', '/api/folders/', {})).json
    const body = await seal(client)
    const target = `/api/folders/${folder_id}/media/`
    expect(await codes(post(stranger, await seal(stranger), target))).toEqual([404, 10])
    const { status, json } = await post(client, body, target)
    expect(status).toBe(201)
    expect(json).toHaveLength(1)
    expect(json[0].technical_meta_data.capture).toBeDefined()
    expect(await codes(post(client, body, target))).toEqual([400, 14])
    expect((await call(client.token, 'GET', target)).json).toHaveLength(1)
  })

  it('after a failed analysis the media of a container cannot be tried again: code 14', async () => {
    const blank = { ...selfie(), bytes: new Uint8Array(writePng(ramp(640, 480), 'rgb8')) }
    const { json } = await post(client, await seal(client, quality, [blank]))
    expect(json.analyses[0]).toMatchObject({ resolution_status: 'FAILED', error_code: 3002 })
    const target = `/api/folders/${json.folder_id}/analyses/`
    const { status, json: again } = await call(client.token, 'POST', target, quality)
    expect([status, again.error_code, again.error_message]).toEqual([400, 14, 'Invalid request data'])
  })

  it('after a passed analysis the media of a container may be analysed again', async () => {
    const { json } = await post(client, await seal(client))
    const target = `/api/folders/${json.folder_id}/analyses/`
    const { status, json: again } = await call(client.token, 'POST', target, quality)
    expect(status).toBe(201)
    expect((await finished(client.token, again[0].analysis_id)).resolution_status).toBe('SUCCESS')
  })
})

const account = { SVC_ADMIN_EMAIL: 'root@vivace.test', SVC_ADMIN_PASSWORD: 'a password' }

describe.skipIf(testedRuntime === 'workers')('policies', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'vivace-containers-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  async function withServer(
    environment: Record<string, string>,
    use: (server: TestServer, admin: Signed) => Promise<void>,
  ) {
    const server = await startServer({ ...account, ASSESS_WORKERS: '1', DATA_DIR: folder, ...environment })
    try {
      await use(server, await signIn(account.SVC_ADMIN_EMAIL, account.SVC_ADMIN_PASSWORD, server.url))
    } finally {
      await server.stop()
    }
  }

  it('by default a good container gives a folder whose analyses are declined, with the reason', async () => {
    await withServer({}, async ({ url }, admin) => {
      const both = { analyses: [{ type: 'quality' }, { type: 'biometry' }] }
      const media = [selfie(), selfie({ name: 'other' })]
      const { status, json } = await post(admin, await seal(admin, both, media, url), '/api/folders/', url)
      expect(status).toBe(201)
      expect(json).toMatchObject({
        resolution_status: 'FINISHED',
        system_resolution: 'DECLINED',
        decline_reason: expect.stringContaining('SVC_CONTAINER_ANALYSIS_ENABLED'),
      })
      for (const analysis of json.analyses)
        expect(analysis).toMatchObject({
          state: 'FINISHED',
          resolution_status: 'DECLINED',
          results_data: null,
          error_code: null,
          decline_reason: expect.stringContaining('SVC_CONTAINER_ANALYSIS_ENABLED'),
        })
      const target = `/api/folders/${json.folder_id}`
      const read = (await call(admin.token, 'GET', `${target}?with_analyses=true`, undefined, url)).json
      expect(read.analyses.map(({ decline_reason }: { decline_reason: string }) => decline_reason)).toEqual(
        json.analyses.map(({ decline_reason }: { decline_reason: string }) => decline_reason),
      )
      const more = await post(admin, await seal(admin, {}, media, url), `${target}/media/`, url)
      expect([more.status, more.json.error_code]).toEqual([400, 221])
    })
  })

  it('a second request starts no analysis that is switched off for containers', async () => {
    const media = [selfie(), selfie({ name: 'other' })]
    const both = { analyses: [{ type: 'quality' }, { type: 'biometry' }] }
    await withServer({}, async ({ url }, admin) => {
      for (const method of ['POST', 'PATCH']) {
        const { json } = await post(admin, await seal(admin, {}, media, url), '/api/folders/', url)
        const target = `/api/folders/${json.folder_id}`
        const body = method === 'POST' ? both : undefined
        const begun = await call(admin.token, method, `${target}/analyses/`, body, url)
        expect([begun.status, begun.json.length]).toEqual([201, 2])
        for (const { analysis_id } of begun.json) {
          const ended = await finished(admin.token, analysis_id, url)
          expect([method, ended.resolution_status, ended.decline_reason]).toEqual([
            method,
            'DECLINED',
            expect.stringContaining('SVC_CONTAINER'),
          ])
        }
        const read = (await call(admin.token, 'GET', target, undefined, url)).json
        expect([read.resolution_status, read.system_resolution]).toEqual(['FINISHED', 'DECLINED'])
      }
    })
  })

  it('with a required challenge nothing passes without evidence, in a container or not', async () => {
    const environment = { SVC_CONTAINER_ANALYSIS_ENABLED: 'true', SVC_CHALLENGE_REQUIRED: 'true' }
    await withServer(environment, async ({ url }, admin) => {
      const sealed = await post(admin, await seal(admin, quality, [selfie()], url), '/api/folders/', url)
      expect(sealed.json.analyses[0]).toMatchObject({ resolution_status: 'FAILED', error_code: 3009 })
      const body = new FormData()
      body.append('payload', JSON.stringify(quality))
      body.append('selfie', new Blob([photo], { type: 'image/jpeg' }), 'selfie.jpg')
      const headers = tokenHeader(admin.token)
      const plain = await (await fetch(`${url}/api/folders/`, { method: 'POST', body, headers })).json()
      expect(plain.analyses[0]).toMatchObject({ resolution_status: 'FAILED', error_code: 3009 })
      for (const [{ folder_id, analyses }, reasons] of [
        [sealed.json, ['no_clip', 'no_steps', 'no_frames']],
        [plain, ['no_container']],
      ]) {
        expect(analyses[0].results_data).toBeNull()
        const [told] = analyses[0].technical_meta_data.challenges
        expect(told).toMatchObject({ status: 'no_evidence', reasons })
        const stored = await call(
          admin.token,
          'GET',
          `/api/folders/${folder_id}?with_analyses=true`,
          undefined,
          url,
        )
        expect(stored.json.analyses[0].technical_meta_data.challenges).toEqual([told])
      }
      const lite = await postBytes('/v1/face/liveness/detect', photo, 'image/jpeg', {}, url)
      expect([lite.status, lite.json.code]).toEqual([400, 'BPE-002003'])
    })
  })

  it('Instant with tokens accepts containers of the company of the caller', async () => {
    await withServer({ SVC_CONTAINER_ANALYSIS_ENABLED: 'true' }, async ({ url }, admin) => {
      const [own, other] = [
        await createCompany(admin.token, 'Own', url),
        await createCompany(admin.token, 'Other', url),
      ]
      const client = await createUser(admin.token, own, 'CLIENT', url)
      const stranger = await createUser(admin.token, other, 'CLIENT', url)
      const body = await seal(client, quality, [selfie()], url)
      const target = '/api/instant/folders/'
      expect((await postBytes(target, body, 'application/octet-stream', {}, url)).status).toBe(401)
      expect(await codes(post(stranger, body, target, url))).toEqual([400, 14])
      const { status, json } = await post(client, body, target, url)
      expect([status, json.company_id]).toEqual([200, own])
      expect(await codes(post(client, body, target, url))).toEqual([400, 14])
    })
  })

  it('used session tokens are forgotten ten minutes after they have expired', async () => {
    const environment = {
      SVC_CONTAINER_ANALYSIS_ENABLED: 'true',
      SVC_SESSION_TOKEN_LIFETIME: '15',
      SVC_ANALYSE_ATTEMPT_DELAY: '0',
    }
    await withServer(environment, async ({ url }, admin) => {
      const body = await seal(admin, quality, [selfie()], url)
      expect((await post(admin, body, '/api/folders/', url)).status).toBe(201)
      const database = openServedDatabase(databaseUrlIn(folder))
      // Session tokens of the other tests live for ten minutes.
      const soon = Date.now() + 60_000
      const sql = `select count(*) as n from used_session_tokens where expires_at < ${soon}`
      const count = async () => (await database.execute(sql)).rows[0]!.n
      expect(await count()).toBe(1)
      // Two seconds, and two beats, after it has expired.
      await new Promise((resolve) => setTimeout(resolve, 17_000))
      expect(await count()).toBe(1)
      await database.execute(
        `update used_session_tokens set expires_at = expires_at - 600000 where expires_at < ${soon}`,
      )
      for (let i = 0; i < 750 && (await count()) !== 0; i++)
        await new Promise((resolve) => setTimeout(resolve, 100))
      expect(await count()).toBe(0)
      expect((await post(admin, body, '/api/folders/', url)).json.error_code).toBe(14)
      database.close()
    })
  })
})

describe.skipIf(testedRuntime === 'workers' || !hasLibsqlServer)(
  `two replicas${hasLibsqlServer ? '' : ' (skipped: no libSQL server is installed)'}`,
  () => {
    let database: LibsqlServer
    const servers: TestServer[] = []
    beforeAll(async () => {
      database = await startLibsqlServer()
      const environment = {
        ...account,
        ...{ ASSESS_WORKERS: '1', DATABASE_URL: database.url, SVC_CONTAINER_ANALYSIS_ENABLED: 'true' },
      }
      servers.push(await startServer(environment), await startServer(environment))
    })
    afterAll(async () => {
      for (const server of servers) await server.stop()
      await database?.close()
    })

    it('a container that comes to both at the same moment is stored once', async () => {
      const [first, second] = servers
      const admin = await signIn(account.SVC_ADMIN_EMAIL, account.SVC_ADMIN_PASSWORD, first!.url)
      for (let round = 0; round < 3; round++) {
        const body = await seal(admin, quality, [selfie()], first!.url)
        const answers = await Promise.all(
          [first!, second!, first!, second!].map(({ url }) => post(admin, body, '/api/folders/', url)),
        )
        expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 400, 400, 400])
      }
    })
  },
)
