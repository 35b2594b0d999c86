/** What the contract demands of settings: of a server with the defaults, and of one with all of them set. */

import { createHash, generateKeyPairSync, verify } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { importPKCS8 } from 'jose'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { analysisAttemptsMax } from '../../src/records/analysis.ts'
import { s3Blobs } from '../../src/storage/blobs/s3-blobs.ts'
import { hasFfmpeg, makeClip, shortClip } from '../fixtures/clips.ts'
import { testMd5 } from '../fixtures/codecs.ts'
import { mediumPart, payloadPart, sealRaw, signSessionToken } from '../fixtures/containers.ts'
import { portrait } from '../fixtures/portraits.ts'
import { hasS3Server, type S3Server, startS3Server } from '../fixtures/s3-server.ts'
import { startServer, type TestServer, testedRuntime } from '../fixtures/server.ts'
import { type Answer, type FilePart, file, form, postBytes, postForm, send } from '../http/client.ts'
import { call, createUser, type Signed, tokenHeader, upload } from '../http/persistent/service.ts'
import { type Demand, itMeets } from './demands.ts'
import { invite, type People } from './people.ts'

type Json = Answer['json']

const instant = '/api/instant/folders/'
const serviceToken = '/api/authorize/service_token'
const quality = { analyses: [{ type: 'quality' }] }
const administrator = { SVC_ADMIN_EMAIL: 'root@vivace.test', SVC_ADMIN_PASSWORD: 'correct horse battery' }
const nowS = () => Date.now() / 1000
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

interface World extends People {
  url: string
  photo: Uint8Array
}

const photoIn = ({ photo }: World): FilePart => file('one', photo)
const submit = (all: World, token: string | null, payload: object, files = [photoIn(all)]) =>
  token === null
    ? postForm(instant, form(files, payload), {}, all.url)
    : upload(token, '/api/folders/', form(files, payload), all.url)
const makeUser = ({ admin, company, url }: World, type: 'CLIENT' | 'CLIENT_SERVICE') =>
  createUser(admin.token, company, type, url)
const signIn = ({ url }: World, email: string, password: string) =>
  call(null, 'POST', '/api/authorize/auth/', { credentials: { email, password } }, url)

describe.skipIf(testedRuntime === 'workers')('the contract with default settings', () => {
  let server: TestServer
  let world: World

  beforeAll(async () => {
    server = await startServer({ ...administrator, ASSESS_WORKERS: '1' })
    world = {
      ...(await invite('Seed of defaults', server.url)),
      ...{ url: server.url, photo: await portrait('redhead') },
    }
  })

  afterAll(() => server?.stop())

  itMeets(
    () => world,
    [
      {
        line: 'F205, F214',
        says: 'Instant requires a token',
        call: (all) => submit(all, null, quality),
        status: 401,
        body: { error_code: 6 },
      },
      {
        line: 'F136',
        says: 'a session token requires one too',
        call: ({ url }) => call(null, 'GET', '/api/authorize/session_token', undefined, url),
        status: 401,
        body: { error_code: 6 },
      },
      {
        line: 'F135, F212',
        says: 'a service token without an id is that of the one active service account',
        call: ({ admin, url }) => call(admin.token, 'GET', serviceToken, undefined, url),
        status: 200,
        async holds({ user_id, access_token, expire_date }, { admin, service, url }) {
          expect(user_id).toBe(service.userId)
          expect(expire_date).toBeGreaterThan(nowS() + 4 * 365 * 86_400)
          const { json } = await call(access_token, 'GET', '/api/users/me', undefined, url)
          expect(json.user_type).toBe('CLIENT_SERVICE')
          expect((await call(admin.token, 'GET', serviceToken, undefined, url)).json.user_id).toBe(user_id)
        },
      },
      {
        line: 'F135, F212',
        says: 'several service accounts are told apart by user_id, and deactivated ones count for nothing',
        async call(all) {
          const { admin, service, url } = all
          const second = await makeUser(all, 'CLIENT_SERVICE')
          const ask = (query = '') => call(admin.token, 'GET', `${serviceToken}${query}`, undefined, url)
          const activate = ({ userId }: Signed, is_active: boolean) =>
            call(admin.token, 'PATCH', `/api/users/${userId}`, { is_active }, url)
          const several = await ask()
          expect((await ask(`?user_id=${second.userId}`)).json.user_id).toBe(second.userId)
          await activate(second, false)
          expect((await ask()).json.user_id).toBe(service.userId)
          await activate(service, false)
          const none = await ask()
          expect([none.status, none.json.error_code]).toEqual([404, 10])
          expect(none.json.details).toMatchObject({
            object: 'user',
            expected: expect.stringContaining('CLIENT_SERVICE'),
          })
          await activate(service, true)
          return several
        },
        status: 400,
        body: { error_code: 4, details: { key_path: 'user_id' } },
        holds: ({ error_message, details }) =>
          expect(`${error_message} ${details.expected}`).toMatch(/service account.*user_id|user_id=/),
      },
      {
        line: 'F16',
        says: 'Instant stores nothing',
        call: (all) => upload(all.client.token, instant, form([photoIn(all)], quality), all.url),
        status: 200,
        async holds({ folder_id, company_id }, { client, company, url }) {
          expect(company_id).toBe(company)
          const kept = await call(client.token, 'GET', `/api/folders/${folder_id}`, undefined, url)
          expect(kept.status).toBe(404)
        },
      },
      {
        line: 'F254',
        says: 'there are at most 3 attempts at an analysis, with a delay that can be set',
        call: ({ admin, url }) => call(admin.token, 'GET', '/api/settings', undefined, url),
        holds(settings) {
          const read = (wanted: string) =>
            settings.find(({ name }: { name: string }) => name === wanted)?.value
          expect(Number(read('SVC_ANALYSE_ATTEMPT_DELAY'))).toBeGreaterThan(0)
          expect(analysisAttemptsMax).toBe(3)
        },
      },
      {
        line: 'F255',
        says: 'a server carries out 36 analyses of single requests in a minute, with one worker',
        async call(all) {
          const check = () => upload(all.client.token, instant, form([photoIn(all)], quality), all.url)
          const times = [performance.now()]
          await check()
          times.push(performance.now())
          const [answer] = await Promise.all(Array.from({ length: 9 }, check))
          times.push(performance.now())
          const [oneMs, tookMs] = [times[1]! - times[0]!, times[2]! - times[1]!]
          return { ...answer!, json: { ...answer!.json, oneMs, tookMs } }
        },
        body: { analyses: [{ state: 'FINISHED' }] },
        // A machine that is busy with more is slower, but for one call like for nine.
        holds: ({ oneMs, tookMs }) => expect(tookMs).toBeLessThan(Math.max(15_000, 12 * oneMs)),
      },
      ...[
        'http://example.com/hook',
        'https://127.0.0.1/hook',
        'https://[::1]/hook',
        'https://10.1.2.3/hook',
        'https://192.168.0.1/hook',
        'https://169.254.169.254/latest',
        'https://localhost/hook',
      ].flatMap((resolution_endpoint): Demand<World>[] => [
        {
          line: 'F35, F282',
          says: `a callback address uses HTTPS and is public: ${resolution_endpoint}`,
          call: (all) => submit(all, all.client.token, { resolution_endpoint }),
          status: 400,
          body: { error_code: 4 },
        },
      ]),
      {
        line: 'F35, F282',
        says: 'a callback address is checked when a folder is changed',
        async call(all) {
          const { json } = await submit(all, all.client.token, {})
          const body = { resolution_endpoint: 'https://10.1.2.3/hook' }
          return call(all.client.token, 'PATCH', `/api/folders/${json.folder_id}`, body, all.url)
        },
        status: 400,
        body: { error_code: 4 },
      },
      {
        line: 'F35, F282',
        says: 'a callback address is checked when analyses start',
        async call(all) {
          const { json } = await submit(all, all.client.token, {})
          const body = { ...quality, resolution_endpoint: 'https://10.1.2.3/hook' }
          return call(all.client.token, 'POST', `/api/folders/${json.folder_id}/analyses`, body, all.url)
        },
        status: 400,
        body: { error_code: 4 },
      },
      {
        line: 'F216',
        says: 'files are found by links that nobody can guess, without a token',
        call: async (all) => {
          const { json } = await submit(all, all.client.token, {})
          return send(new URL(json.media[0].original_url).pathname, {}, all.url)
        },
        status: 200,
      },
      {
        line: 'F216',
        says: 'sign-ins are not throttled',
        async call(all) {
          const { email, password } = await makeUser(all, 'CLIENT')
          let answer = await signIn(all, email, password)
          for (let i = 0; i < 12; i++) answer = await signIn(all, email, password)
          return answer
        },
        status: 200,
      },
      {
        line: 'F216',
        says: 'calls without a valid token are not throttled, however many a backend sends',
        async call({ url }) {
          let answer = await send('/api/folders/', {}, url)
          for (let sent = 0; sent < 800 && answer.status !== 429; sent += 200) {
            const calls = Array.from({ length: 200 }, () => send('/api/folders/', {}, url))
            answer = (await Promise.all(calls)).find(({ status }) => status === 429) ?? answer
          }
          return answer
        },
        status: 401,
        body: { error_code: 6 },
      },
      {
        line: 'F216',
        says: 'wrong passwords are limited all the same',
        async call(all) {
          const { email, password } = await makeUser(all, 'CLIENT')
          for (let i = 0; i < 10; i++) expect((await signIn(all, email, `wrong ${i}`)).status).toBe(401)
          return signIn(all, email, password)
        },
        status: 429,
        body: { error_code: 101 },
        holds: (_, __, { headers }) => expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0),
      },
    ],
  )
})

const keys = generateKeyPairSync('ec', {
  namedCurve: 'secp384r1',
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
})

describe.skipIf(testedRuntime === 'workers')('the contract with all settings', () => {
  let server: TestServer
  let s3: S3Server | null = null
  let folder: string
  let world: World

  beforeAll(async () => {
    s3 = hasS3Server ? await startS3Server() : null
    folder = await mkdtemp(path.join(tmpdir(), 'vivace-settings-'))
    const [ownKey, publicKey] = [path.join(folder, 'private.pem'), path.join(folder, 'public.pem')]
    await writeFile(ownKey, keys.privateKey)
    await writeFile(publicKey, keys.publicKey)
    server = await startServer({
      ...administrator,
      ASSESS_WORKERS: '1',
      SVC_AUTHORIZE_DISABLED_STATELESS: 'true',
      SVC_CONFIDENCE_REPLAY_ENABLED: 'true',
      SVC_CONFIDENCE_LIVENESS_ENABLED: 'true',
      SVC_USE_PERMISSIONS_FOR_STATIC: 'true',
      SVC_ANALYSE_PARALLELED_CHECK_MEDIA_ENABLED: 'true',
      SVC_VIDEO_DURATION_MAX: '1',
      SVC_FFMPEG_VIDEO_CROPPING_ENABLED: 'true',
      SVC_SESSION_TTL: '120',
      SVC_SESSION_LONGLIVE_TTL: '6',
      SVC_SESSION_TOKEN_LIFETIME: '60',
      SVC_JWT_PRIVATE_KEY_PATH: ownKey,
      SVC_JWT_PUBLIC_KEY_PATH: publicKey,
      SVC_PASSWORD_MIN_LENGTH: '9',
      SVC_ATTACHMENT_MAX_SIZE: '1',
      SVC_THROTTLING_RATES: 'rest_unauthorized=2/2,rps_with_token=30/20',
      TRUSTED_PROXIES: '127.0.0.1',
      TIME_ZONE: 'Europe/Riga',
      ...(s3
        ? {
            SVC_STATIC_S3_BUCKET_URL: 'None',
            SVC_INSTANT_SAVING_ARTIFACTS_ENABLED: 'true',
            S3_ENDPOINT: s3.options.endpoint,
            S3_BUCKET: s3.options.bucket,
            S3_REGION: s3.options.region,
            S3_ACCESS_KEY_ID: s3.options.accessKeyId,
            S3_SECRET_ACCESS_KEY: s3.options.secretAccessKey,
          }
        : {}),
    })
    world = {
      ...(await invite('Seed of settings', server.url)),
      ...{ url: server.url, photo: await portrait('redhead') },
    }
  })

  afterAll(async () => {
    await server?.stop()
    await s3?.close()
    await rm(folder, { recursive: true, force: true })
  })

  /** Makes calls at once; tells their statuses and how long they took together. */
  const together = async (count: number, make: () => Promise<Answer>): Promise<Answer> => {
    const begun = Date.now()
    const answers = await Promise.all(Array.from({ length: count }, make))
    const json = { statuses: answers.map(({ status }) => status), tookMs: Date.now() - begun }
    return { ...answers[0]!, status: 200, json }
  }
  const readJson = async (key: string): Promise<Json> =>
    JSON.parse(new TextDecoder().decode((await s3Blobs(s3!.options).read(key)) ?? new Uint8Array()))

  const inBucket: Demand<World>[] = [
    {
      line: 'F16, F284, F286, F288',
      says: 'Instant saves media, payload and results for the company of the header',
      call: (all) => {
        const payload = { ...quality, 'folder:meta_data': { order: 1 }, own: [2] }
        const headers = { 'X-Forensic-Company-Id': all.company }
        return postForm(instant, form([photoIn(all)], payload), headers, all.url)
      },
      status: 200,
      async holds({ folder_id, media, analyses }, { company, photo }) {
        const base = `instant/${company}/${folder_id}`
        expect(await readJson(`${base}/payload.json`)).toMatchObject({
          'folder:meta_data': { order: 1 },
          own: [2],
        })
        expect(await s3Blobs(s3!.options).read(`${base}/${media[0].media_id}.jpg`)).toEqual(photo)
        const name = `${analyses[0].analysis_id}_${media[0].media_id}_engine_response.json`
        expect(await readJson(`${base}/${name}`)).toMatchObject({ analysis_id: analyses[0].analysis_id })
      },
    },
    {
      line: 'F16, F286',
      says: 'and for the company of a token that is sent',
      call: (all) => upload(all.client.token, instant, form([photoIn(all)], quality), all.url),
      status: 200,
      async holds({ folder_id, company_id, media }, { company, photo }) {
        expect(company_id).toBe(company)
        const name = `instant/${company}/${folder_id}/${media[0].media_id}.jpg`
        expect(await s3Blobs(s3!.options).read(name)).toEqual(photo)
      },
    },
    {
      line: 'F283',
      says: 'a container whose session token has expired is refused, and saved for the company of the token',
      async call({ company, photo, url }) {
        const key = await importPKCS8(keys.privateKey, 'ES384')
        const jti = crypto.randomUUID()
        const exp = Math.floor(nowS()) - 60
        const token = await signSessionToken({ jti, exp, company_id: company }, key)
        const recipient = (await send('/api/jwks', {}, url)).json.keys[0]
        const parts = [payloadPart(quality), mediumPart('a', new Uint8Array(photo))]
        const body = await sealRaw(token, parts, { recipient })
        const answer = await postBytes(instant, body, 'application/octet-stream', {}, url)
        const fingerprint = createHash('sha256').update(body).digest('base64url')
        return { ...answer, json: { ...answer.json, base: `instant/${company}/${jti}_${fingerprint}` } }
      },
      status: 400,
      body: { error_code: 14, error_message: 'Invalid request data' },
      async holds({ base }, { photo }) {
        expect(await readJson(`${base}/payload.json`)).toEqual(quality)
        expect(await s3Blobs(s3!.options).read(`${base}/0.bin`)).toEqual(photo)
      },
    },
    {
      line: 'F285',
      says: 'each analysis of a kept folder leaves a file for each of its media',
      call: (all) => submit(all, all.client.token, quality),
      async holds({ folder_id, media, analyses }) {
        const name = `${analyses[0].analysis_id}_${media[0].media_id}_engine_response.json`
        expect(await readJson(`${folder_id}/${name}`)).toMatchObject({ type: 'QUALITY', state: 'FINISHED' })
      },
    },
    {
      line: 'F287',
      says: 'with the text None links point to this server, which reads the bucket',
      call: async (all) => {
        const { json } = await submit(all, all.client.token, {})
        const { origin, pathname } = new URL(json.media[0].original_url)
        expect(origin).not.toContain('None')
        return send(pathname, { headers: tokenHeader(all.client.token) }, all.url)
      },
      status: 200,
    },
  ]

  const clips: Demand<World>[] = [
    {
      line: 'F52, F177, F287',
      says: 'a video that is too long is cropped, and the cropped video is kept and described',
      async call(all) {
        const long = await makeClip({ ...shortClip, seconds: 1.6 })
        const video = file('v', long, { filename: 'v.mp4', type: 'video/mp4' })
        const { json, ...answer } = await submit(all, all.client.token, quality, [video])
        return { ...answer, json: { ...json, sent: long.length } }
      },
      status: 201,
      async holds({ media: [{ info, video_url }], analyses, sent }, { client, url }) {
        expect(analyses[0].source_media[0].info).toEqual(info)
        expect(info.video.duration).toBeGreaterThan(0.8)
        // It ends with a picture that is stored before the end, and shown up to two pictures after it.
        expect(info.video.duration).toBeLessThan(1.25)
        expect(info.video.size).toBeLessThan(sent)
        const headers = tokenHeader(client.token)
        const kept = await fetch(`${url}${new URL(video_url).pathname}`, { headers })
        expect(testMd5(new Uint8Array(await kept.arrayBuffer()))).toBe(info.video.md5)
      },
    },
  ]

  itMeets(
    () => world,
    [
      ...(hasS3Server ? inBucket : []),
      ...(hasFfmpeg ? clips : []),
      {
        line: 'F80',
        says: 'results also show confidence_replay if configured',
        call: (all) => submit(all, null, quality),
        holds: ({ analyses: [{ results_media }] }) =>
          expect(Object.keys(results_media[0].results_data)).toEqual(
            expect.arrayContaining(['confidence_spoofing', 'confidence_replay']),
          ),
      },
      {
        line: 'F136, F214',
        says: 'without authorization a session token needs no token, and is for the tenant of the header',
        call: ({ url, company }) =>
          send('/api/authorize/session_token', { headers: { 'X-Forensic-Company-Id': company } }, url),
        status: 200,
        holds({ session_token }, { company }) {
          const [head, payload, signature] = session_token.split('.')
          const { company_id, iat, exp } = JSON.parse(Buffer.from(payload, 'base64url').toString())
          expect([company_id, exp - iat]).toEqual([company, 60])
          const signed = Buffer.from(`${head}.${payload}`)
          const key = { key: keys.publicKey, dsaEncoding: 'ieee-p1363' } as const
          expect(verify('sha384', signed, key, Buffer.from(signature, 'base64url'))).toBe(true)
        },
      },
      {
        line: 'F216',
        says: 'files need the token of a user who may read them',
        call: async (all) => {
          const { json } = await submit(all, all.client.token, {})
          return { ...(await send(new URL(json.media[0].original_url).pathname, {}, all.url)), json }
        },
        status: 401,
        async holds({ media: [{ original_url }] }, { client, manager, admin, url }) {
          const { pathname } = new URL(original_url)
          const statusFor = async (token: string) =>
            (await send(pathname, { headers: tokenHeader(token) }, url)).status
          const elsewhere = await invite('Seed of other settings', url)
          expect(
            await Promise.all(
              [client, manager, admin, elsewhere.client].map(({ token }) => statusFor(token)),
            ),
          ).toEqual([200, 200, 200, 404])
        },
      },
      {
        line: 'F209, F256',
        says: 'the lifetime of sessions is a setting',
        call: async (all) => {
          const { email, password } = await makeUser(all, 'CLIENT')
          return signIn(all, email, password)
        },
        holds: ({ expire_date }) => expect(Math.abs(expire_date - nowS() - 120)).toBeLessThan(20),
      },
      {
        line: 'F210',
        says: 'each use of a session extends it, and without use it ends',
        async call(all) {
          const { token } = await makeUser(all, 'CLIENT_SERVICE')
          const use = () => call(token, 'GET', '/api/users/me', undefined, all.url)
          // Longer together than the lifetime, and each with seconds to spare on a busy machine.
          for (let i = 0; i < 2; i++) {
            await wait(3500)
            expect((await use()).status).toBe(200)
          }
          await wait(7000)
          return use()
        },
        status: 401,
        body: { error_code: 8 },
      },
      {
        line: 'F216',
        says: 'unauthorized calls beyond their rate are delayed, and answered as they would have been',
        call: ({ url }) =>
          together(4, () => send('/api/folders/', { headers: { 'X-Forwarded-For': '203.0.113.2' } }, url)),
        body: { statuses: [401, 401, 401, 401] },
        holds: ({ tookMs }) => expect(tookMs).toBeGreaterThan(1900),
      },
      {
        line: 'F216',
        says: 'calls of a token beyond their rate are delayed',
        async call(all) {
          const { token } = await makeUser(all, 'CLIENT')
          return together(36, () => call(token, 'GET', '/api/users/me', undefined, all.url))
        },
        body: { statuses: Array(36).fill(200) },
        // Six calls too many, at 1.5 per second. The calls themselves take some tenths of a second.
        holds: ({ tookMs }) => expect(tookMs).toBeGreaterThan(3900),
      },
      {
        line: 'F217, F300',
        says: 'the length of a password is a setting',
        call: ({ admin, company, url }) =>
          call(
            admin.token,
            'POST',
            '/api/users/',
            {
              credentials: { email: 'weak@vivace.test', password: 'only 8 c' },
              profile: { company_id: company, user_type: 'CLIENT' },
            },
            url,
          ),
        status: 400,
        body: { error_code: 202 },
      },
      {
        line: 'F253',
        says: 'the size of all attachments together is a setting',
        call: (all) => {
          const half = new Uint8Array(600 * 1024)
          half.set(all.photo)
          return submit(all, null, quality, [file('a', half), file('b', half)])
        },
        status: 400,
        body: { error_code: 14 },
      },
      {
        line: 'F259',
        says: 'with the setting that runs them in parallel, analyses have the same results',
        call: (all) =>
          submit(all, all.client.token, { analyses: [quality.analyses[0], quality.analyses[0]] }),
        body: { analyses: [{ state: 'FINISHED' }, { state: 'FINISHED' }] },
        holds: ({ analyses: [one, two] }) => expect(one.results_data).toEqual(two.results_data),
      },
      {
        line: 'F196, F293',
        says: 'the configuration tells the time zone that was set',
        call: ({ url }) => send('/api/config', {}, url),
        body: { timezone: 'Europe/Riga' },
      },
      {
        line: 'F285',
        says: 'expire_date does not depend on the time zone',
        call: async (all) => {
          const { email, password } = await makeUser(all, 'CLIENT')
          return signIn(all, email, password)
        },
        holds: ({ expire_date, access_token }) => {
          const { exp } = JSON.parse(Buffer.from(access_token.split('.')[1], 'base64url').toString())
          expect(Math.abs(exp - expire_date)).toBeLessThan(2)
          expect(Math.abs(exp - nowS() - 120)).toBeLessThan(20)
        },
      },
    ],
  )
})
