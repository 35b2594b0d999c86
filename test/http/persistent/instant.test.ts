/** Instant with tokens, next to the persistent service: permissions, usage, and artifacts. */
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { s3Blobs } from '../../../src/storage/blobs/s3-blobs.ts'
import {
  mediumPart,
  payloadPart,
  sealRaw,
  signSessionToken,
  vectorEnvironment,
} from '../../fixtures/containers.ts'
import { databaseUrlIn, openServedDatabase } from '../../fixtures/database.ts'
import { portrait } from '../../fixtures/portraits.ts'
import { hasS3Server, listen, type S3Server, startS3Server, stop } from '../../fixtures/s3-server.ts'
import { startServer, type TestServer, testedRuntime } from '../../fixtures/server.ts'
import { zip } from '../../fixtures/zip.ts'
import { file, form, postBytes, postForm } from '../client.ts'
import { call, createCompany, createUser, type Signed, signIn, tokenHeader, upload } from './service.ts'

const path = '/api/instant/folders/'
const quality = { analyses: [{ type: 'quality' }] }
const admin = { SVC_ADMIN_EMAIL: 'root@vivace.test', SVC_ADMIN_PASSWORD: 'a password of a test' }

describe.skipIf(testedRuntime === 'workers')('Instant with authorization', () => {
  let server: TestServer
  let root: Signed
  let client: Signed
  let photo: Uint8Array

  beforeAll(async () => {
    photo = await portrait('redhead')
    server = await startServer({
      ...admin,
      ASSESS_WORKERS: '1',
      SVC_LITE_TOKEN_REQUIRED: 'true',
      SVC_CALLER_THRESHOLDS: 'stricter',
    })
    root = await signIn(admin.SVC_ADMIN_EMAIL, admin.SVC_ADMIN_PASSWORD, server.url)
    const company = await createCompany(root.token, 'Instant', server.url)
    client = await createUser(root.token, company, 'CLIENT', server.url)
  })

  afterAll(() => server.stop())

  const submit = (token: string, payload: object = quality) =>
    upload(token, path, form([file('a', photo)], payload), server.url)

  it('Instant answers for the company of the token, and stores no folder', async () => {
    const { status, json } = await submit(client.token)
    expect(status).toBe(200)
    expect(json).toMatchObject({ company_id: client.companyId, user_id: client.userId })
    expect(json.media[0].original_url).toBeNull()
    const kept = await call(client.token, 'GET', '/api/folders/', undefined, server.url)
    expect(kept.json.total_count).toBe(0)
    const gone = await call(client.token, 'GET', `/api/folders/${json.folder_id}`, undefined, server.url)
    expect(gone.status).toBe(404)
  })

  it('Instant refuses roles that may not submit, other companies, and disabled types', async () => {
    const reviewer = await createUser(root.token, client.companyId, 'CLIENT_OPERATOR', server.url)
    expect((await submit(reviewer.token)).json.error_code).toBe(9)
    const headers = { ...tokenHeader(client.token), 'X-Forensic-Company-Id': root.companyId }
    const foreign = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers,
      body: form([file('a', photo)], quality),
    })
    expect(foreign.status).toBe(403)
    const change = { can_start_analysis_biometry: false }
    await call(root.token, 'PATCH', `/api/users/${client.userId}`, change, server.url)
    expect((await submit(client.token, { analyses: [{ type: 'biometry' }] })).json.error_code).toBe(9)
  })

  it('Instant refuses thresholds less strict than the operator’s', async () => {
    const named = (threshold_spoofing: number) => ({
      analyses: [{ type: 'quality', params: { threshold_spoofing } }],
    })
    const { status, json } = await submit(client.token, named(0.9))
    expect([status, json.error_code]).toEqual([400, 4])
    expect(json.error_details).toEqual({ key_path: 'analyses.0.params.threshold_spoofing', min: 0, max: 0.5 })
    expect((await submit(client.token, named(0.4))).json.analyses[0].confs.threshold_spoofing).toBe(0.4)
  })

  it('SVC_LITE_TOKEN_REQUIRED makes Lite require a token', async () => {
    const detect = (headers: Record<string, string>) =>
      postBytes('/v1/face/liveness/detect', photo, 'image/jpeg', headers, server.url)
    expect((await detect({})).status).toBe(401)
    expect((await detect(tokenHeader(client.token))).json.passed).toBe(true)
    const ofAnother = { ...tokenHeader(client.token), 'X-Forensic-Company-Id': crypto.randomUUID() }
    expect(await detect(ofAnother)).toMatchObject({
      status: 403,
      json: { code: 'BPE-002002', message: expect.stringContaining('X-Forensic-Company-Id') },
    })
    expect((await fetch(`${server.url}/v1/face/liveness/health`)).status).toBe(200)
  })
})

describe.skipIf(testedRuntime === 'workers')('Instant analyses are counted', () => {
  const counted = async (folder: string) => {
    const database = openServedDatabase(databaseUrlIn(folder))
    const { rows } = await database.execute('select lower(hex(company_id)) as company, count from usage')
    database.close()
    return rows.map(({ company, count }) => [company, count] as const)
  }

  it('open Instant counts for the company of the token, of the header, or for nobody', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'vivace-usage-'))
    const { url, stop: end } = await startServer({
      ...{ ...admin, ...vectorEnvironment, DATA_DIR: folder, ASSESS_WORKERS: '1' },
      ...{ SVC_AUTHORIZE_DISABLED_STATELESS: 'true', SVC_CONTAINER_ANALYSIS_ENABLED: 'true' },
    })
    const root = await signIn(admin.SVC_ADMIN_EMAIL, admin.SVC_ADMIN_PASSWORD, url)
    const [own, other, third] = [
      await createCompany(root.token, 'Of the token', url),
      await createCompany(root.token, 'Of an administrator', url),
      await createCompany(root.token, 'Of the header', url),
    ]
    const client = await createUser(root.token, own, 'CLIENT', url)
    const photo = await portrait('redhead')
    const ask = async (caller: Signed | null, named?: string) => {
      const headers = {
        ...(caller ? tokenHeader(caller.token) : {}),
        ...(named ? { 'X-Forensic-Company-Id': named } : {}),
      }
      const { status, json } = await postForm(path, form([file('a', photo)], quality), headers, url)
      return [status, json.company_id, json.user_id]
    }
    expect(await ask(client)).toEqual([200, own, client.userId])
    expect(await ask(client, own)).toEqual([200, own, client.userId])
    expect((await ask(client, other))[0]).toBe(403)
    expect(await ask(root, other)).toEqual([200, other, root.userId])
    expect(await ask(null, third)).toEqual([200, third, null])
    const parts = [payloadPart(quality), mediumPart('a', new Uint8Array(photo))]
    const sealed = await sealRaw(await signSessionToken({ company_id: third }), parts)
    const { json } = await postBytes(path, sealed, 'application/octet-stream', {}, url)
    expect([json.company_id, json.user_id]).toEqual([third, null])
    const unknown = crypto.randomUUID()
    expect(await ask(null, unknown)).toEqual([200, unknown, null])
    expect(await ask(null)).toEqual([200, null, null])
    await end()
    const hexOf = (id: string) => id.replaceAll('-', '')
    expect(new Map(await counted(folder))).toEqual(
      new Map([
        [hexOf(own), 2],
        [hexOf(other), 1],
        [hexOf(third), 2],
      ]),
    )
    await rm(folder, { recursive: true, force: true })
  })
})

describe.skipIf(testedRuntime === 'workers')('a stateless server', () => {
  let server: TestServer
  let photo: Uint8Array
  beforeAll(async () => {
    photo = await portrait('redhead')
    const parts = { SVC_APP_COMPONENTS: 'stateless', SVC_MOVEMENT_REQUIRED: 'true' }
    server = await startServer({ ...parts, ASSESS_WORKERS: '1' })
  })
  afterAll(() => server.stop())

  it('serves only Instant and Lite', async () => {
    const { status } = await postForm(path, form([file('a', photo)], quality), {}, server.url)
    expect(status).toBe(200)
    const folders = await call(null, 'GET', '/api/folders/', undefined, server.url)
    expect([folders.status, folders.json.error_code]).toEqual([404, 10])
    expect((await call(null, 'GET', '/api/authorize/session_token', undefined, server.url)).status).toBe(200)
  })

  it('that requires movement passes no photo, and no archive of one picture', async () => {
    const archive = zip({ 'a.jpg': photo })
    const tags = { 'media:tags': { a: ['video_selfie'] } }
    for (const body of [
      form([file('a', photo)], quality),
      form([file('a', archive, { filename: 'a.zip' })], { ...quality, ...tags }),
    ]) {
      const { json } = await postForm(path, body, {}, server.url)
      expect(json.analyses[0]).toMatchObject({ resolution_status: 'FAILED', error_code: 3006 })
    }
    const detect = '/v1/face/liveness/detect'
    const packed = form([file('a', archive, { filename: 'a.zip' })], tags)
    const inParts = await postForm(detect, packed, {}, server.url)
    expect([inParts.status, inParts.json.code]).toEqual([400, 'BPE-002003'])
    const alone = await postBytes(detect, photo, 'image/jpeg', {}, server.url)
    expect([alone.status, alone.json.code]).toEqual([400, 'BPE-002003'])
  })
})

describe.skipIf(testedRuntime === 'workers')('parts of the service', () => {
  it('a stateless server accepts the tokens of a whole service with the same key', async () => {
    const secret = { SVC_API_SECRET_KEY: 'one key for both services, long enough', ASSESS_WORKERS: '1' }
    const [whole, small] = await Promise.all([
      startServer({ ...admin, ...secret }),
      startServer({ SVC_APP_COMPONENTS: 'auth,stateless', ...secret }),
    ])
    const { token } = await signIn(admin.SVC_ADMIN_EMAIL, admin.SVC_ADMIN_PASSWORD, whole.url)
    const photo = await portrait('redhead')
    const submit = (text: string) => upload(text, path, form([file('a', photo)], quality), small.url)
    expect((await submit(token)).status).toBe(200)
    expect((await submit(`${token}x`)).json.error_code).toBe(7)
    await Promise.all([whole.stop(), small.stop()])
  })
})

describe.skipIf(testedRuntime === 'workers')('Instant whose storage fails', () => {
  it('an answer of 502 leaves the session token unspent, and all artifacts stored but the one that cannot be', async () => {
    let refused = 'payload.json'
    let stored: string[] = []
    const { endpoint, server: storage } = await listen(async (request, response) => {
      await request.resume().toArray()
      const name = request
        .url!.split('/')
        .at(-1)!
        .replaceAll(/[0-9a-f-]{36}_?/g, '')
      if (name === refused) return void response.writeHead(403).end()
      // After the refusal.
      await new Promise((resolve) => setTimeout(resolve, 200))
      stored.push(name)
      response.writeHead(200).end()
    })
    const server = await startServer({
      ...vectorEnvironment,
      ASSESS_WORKERS: '1',
      SVC_APP_COMPONENTS: 'stateless',
      SVC_CONTAINER_ANALYSIS_ENABLED: 'true',
      SVC_INSTANT_SAVING_ARTIFACTS_ENABLED: 'true',
      S3_ENDPOINT: endpoint,
      S3_BUCKET: 'artifacts',
      S3_REGION: 'test',
      S3_ACCESS_KEY_ID: 'id',
      S3_SECRET_ACCESS_KEY: 'secret',
    })
    const parts = [payloadPart(quality), mediumPart('a', await portrait('redhead'))]
    const body = await sealRaw(await signSessionToken(), parts)
    const post = async () => {
      const { status, json } = await postBytes(path, body, 'application/octet-stream', {}, server.url)
      return [status, json.error_code]
    }
    expect((await post())[0]).toBe(502)
    const others = ['.jpg', 'best.jpg', 'engine_response.json', 'thumb.jpg']
    expect(stored.toSorted()).toEqual(others)
    await expect
      .poll(() => server.lines().filter((line) => line.includes('PUT: answered 403')))
      .toHaveLength(1)
    refused = ''
    stored = []
    expect(await post()).toEqual([200, undefined])
    expect(stored.toSorted()).toEqual([...others, 'payload.json'].sort())
    expect(await post()).toEqual([400, 14])
    await server.stop()
    await stop(storage)
  })
})

describe.skipIf(testedRuntime === 'workers' || !hasS3Server)(
  `Instant that saves its artifacts${hasS3Server ? '' : ' (skipped: npm run runtimes brings the S3 server)'}`,
  () => {
    let s3: S3Server
    let server: TestServer
    let store: ReturnType<typeof s3Blobs>
    let photo: Uint8Array

    beforeAll(async () => {
      photo = await portrait('redhead')
      s3 = await startS3Server()
      store = s3Blobs(s3.options)
      const { endpoint, bucket, region, accessKeyId, secretAccessKey } = s3.options
      server = await startServer({
        ...{ ...admin, ...vectorEnvironment, ASSESS_WORKERS: '1' },
        SVC_AUTHORIZE_DISABLED_STATELESS: 'true',
        SVC_CONTAINER_ANALYSIS_ENABLED: 'true',
        oz_instant_save_artifacts_s3: 'true',
        S3_ENDPOINT: endpoint,
        S3_BUCKET: bucket,
        S3_REGION: region,
        S3_ACCESS_KEY_ID: accessKeyId,
        S3_SECRET_ACCESS_KEY: secretAccessKey,
      })
    })

    afterAll(async () => {
      await server?.stop()
      await s3?.close()
    })

    it('Instant artifacts are media, payload and one file per medium of each analysis', async () => {
      const payload = {
        ...quality,
        'folder:meta_data': { a: 1 },
        'media:tags': { a: ['photo_selfie'] },
        own: [2],
      }
      const companyId = '11111111-2222-4333-8444-555555555555'
      const response = await fetch(`${server.url}${path}`, {
        method: 'POST',
        headers: { 'X-Forensic-Company-Id': companyId },
        body: form([file('a', photo)], payload),
      })
      const folder = (await response.json()) as {
        folder_id: string
        media: { media_id: string }[]
        analyses: { analysis_id: string }[]
      }
      const base = `instant/${companyId}/${folder.folder_id}`
      const mediumId = folder.media[0]!.media_id
      const analysisId = folder.analyses[0]!.analysis_id
      expect(await store.read(`${base}/${mediumId}.jpg`)).toEqual(photo)
      const answer = await store.read(`${base}/${analysisId}_${mediumId}_engine_response.json`)
      expect(JSON.parse(new TextDecoder().decode(answer!))).toMatchObject({
        analysis_id: analysisId,
        results_data: { confidence_spoofing: expect.any(Number) },
      })
      const json = async (name: string) =>
        JSON.parse(new TextDecoder().decode((await store.read(`${base}/${name}`))!))
      expect(await json('payload.json')).toEqual(payload)
      const told = await json(`${analysisId}_${mediumId}_engine_response.json`)
      const [image] = told.results_media[0].output_images
      expect(image.original_url).toBe(`${folder.folder_id}/${mediumId}_best.jpg`)
      for (const name of ['best', 'thumb'])
        expect([name, (await store.read(`${base}/${mediumId}_${name}.jpg`)) === null]).toEqual([name, false])
    })

    it('artifacts of an open call with a token are those of its company', async () => {
      const root = await signIn(admin.SVC_ADMIN_EMAIL, admin.SVC_ADMIN_PASSWORD, server.url)
      const own = await createCompany(root.token, 'Of the token', server.url)
      const client = await createUser(root.token, own, 'CLIENT', server.url)
      const callers = [
        [own, tokenHeader(client.token)],
        [own, { ...tokenHeader(root.token), 'X-Forensic-Company-Id': own }],
        ['none', {}],
      ] as const
      for (const [owner, headers] of callers) {
        const { json } = await postForm(path, form([file('a', photo)], quality), headers, server.url)
        const keptFor = async (company: string) => {
          const files = ['payload.json', `${json.media[0].media_id}.jpg`]
          const keys = files.map((name) => `instant/${company}/${json.folder_id}/${name}`)
          return Promise.all(keys.map(async (key) => (await store.stat(key)) !== null))
        }
        for (const company of [own, 'none'])
          expect([company, await keptFor(company)]).toEqual([company, Array(2).fill(company === owner)])
      }
    })

    it('a container whose session token has expired is refused, and saved for its company', async () => {
      const company_id = crypto.randomUUID()
      const post = async (
        { jti = crypto.randomUUID() as string, ...claims }: { jti?: string; exp?: number },
        bytes = photo,
      ) => {
        const token = await signSessionToken({ ...claims, jti, company_id })
        const body = await sealRaw(token, [payloadPart(quality), mediumPart('a', bytes)])
        const { status, json } = await postBytes(path, body, 'application/octet-stream', {}, server.url)
        const fingerprint = createHash('sha256').update(body).digest('base64url')
        return { status, code: json.error_code, jti, base: `instant/${company_id}/${jti}_${fingerprint}` }
      }
      const expired = await post({ exp: Math.floor(Date.now() / 1000) - 60 })
      expect([expired.status, expired.code]).toEqual([400, 14])
      expect(await store.read(`${expired.base}/0.bin`)).toEqual(photo)
      const payload = await store.read(`${expired.base}/payload.json`)
      expect(JSON.parse(new TextDecoder().decode(payload!))).toEqual(quality)
      const other = await post(
        { jti: expired.jti, exp: Math.floor(Date.now() / 1000) - 60 },
        photo.slice(0, 400),
      )
      expect(await store.read(`${other.base}/0.bin`)).toEqual(photo.slice(0, 400))
      expect(await store.read(`${expired.base}/0.bin`)).toEqual(photo)
      const valid = await post({})
      expect(valid.status).toBe(200)
      expect(await store.read(`${valid.base}/0.bin`)).toBeNull()
    })
  },
)
