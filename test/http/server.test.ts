/** Effects of settings, and the start and end of a server. Each test starts its own server. */
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { shrinkImage, testCodecs } from '../fixtures/codecs.ts'
import { portrait, portraitImage } from '../fixtures/portraits.ts'
import { failToStart, startServer, type TestServer, testedRuntime } from '../fixtures/server.ts'
import { type Answer, file, form, postBytes, postForm, send } from './client.ts'

const instant = '/api/instant/folders/'
const detect = '/v1/face/liveness/detect'
const quality = { analyses: [{ type: 'quality' }] }
const open = { SVC_AUTHORIZE_DISABLED_STATELESS: 'true' }

/** Workers are started and ended by their platform. */
const isEdge = testedRuntime === 'workers'

let servers: TestServer[] = []
let good: Uint8Array

beforeAll(async () => {
  good = await portrait('redhead')
})

afterEach(async () => {
  await Promise.all(servers.map((server) => server.stop()))
  servers = []
})

async function start(environment: Record<string, string>): Promise<TestServer> {
  const server = await startServer({ ASSESS_WORKERS: '1', ...environment })
  servers.push(server)
  return server
}

const instantAt = (base: string, headers: Record<string, string> = {}) =>
  postForm(instant, form([file('a', good)], quality), headers, base)

describe.skipIf(isEdge)('as shipped', () => {
  it('by default Instant requires a token and Lite does not', async () => {
    const { url } = await start({})
    const missing = await instantAt(url)
    expect([missing.status, missing.json.error_code]).toEqual([401, 6])
    const unknown = await instantAt(url, { 'X-Forensic-Access-Token': 'x' })
    expect([unknown.status, unknown.json.error_code]).toEqual([401, 7])
    expect((await postBytes(detect, good, 'image/jpeg', {}, url)).status).toBe(200)
  })

  it('its pages on its machine need none, unless a proxy or a company is named', async () => {
    const { url } = await start({})
    const page = { 'Sec-Fetch-Site': 'same-origin', Origin: url }
    expect((await instantAt(url, page)).json.resolution_status).toBe('FINISHED')
    for (const more of [
      { Origin: 'https://liveness.example' },
      { 'X-Forwarded-For': '192.0.2.7' },
      { 'X-Forensic-Access-Token': 'x' },
      { 'X-Forensic-Company-Id': crypto.randomUUID() },
    ])
      expect((await instantAt(url, { ...page, ...more })).status).toBe(401)
    const { token_required, pages_open } = (await send('/api/config', { headers: page }, url)).json
    expect([token_required, pages_open]).toEqual([true, true])
    expect((await send('/api/config', {}, url)).json.pages_open).toBe(false)
    const session = (headers: Record<string, string>) =>
      send('/api/authorize/session_token', { method: 'POST', headers }, url)
    expect((await session(page)).json.session_token).toEqual(expect.any(String))
    expect((await session({})).status).toBe(401)
  })
})

describe.skipIf(isEdge)('settings', () => {
  it('invalid settings prevent the start, with one line that names them', async () => {
    const { code, output } = await failToStart({ SVC_ATTACHMENT_MAX_SIZE: 'huge', MODEL_PROFILE: 'best' })
    expect(code).toBe(1)
    expect(output.trim().split('\n')).toHaveLength(1)
    expect(output).toMatch(/MODEL_PROFILE must be .*SVC_ATTACHMENT_MAX_SIZE must be/)
  })

  it('an unavailable profile prevents the start', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'models-'))
    // A silent mirror uses up the time limit, so the public addresses are never tried.
    const silent = createServer(() => {})
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const mirror = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
    const environment = { MODEL_PROFILE: 'standard', MODELS_DIR: folder, MODELS_MIRROR: mirror }
    const { code, output } = await failToStart(environment)
    silent.closeAllConnections()
    silent.close()
    await rm(folder, { recursive: true })
    expect(code).toBe(1)
    expect(output.trim()).toMatch(/^model yunet-2023mar is unavailable: .*$/)
  })

  it('SVC_QUALITY_GATE=refuse fails poor samples', async () => {
    const { url } = await start({ ...open, SVC_QUALITY_GATE: 'refuse' })
    const image = await portraitImage('redhead')
    const small = await testCodecs.encodeJpeg({ image: shrinkImage(image, 120, 120), quality: 95 })
    const { json } = await postForm(instant, form([file('a', small)], quality), {}, url)
    expect(json.analyses[0]).toMatchObject({ state: 'FAILED', error_code: 3005 })
    expect(json.analyses[0].error_message).toContain('small')
    const lite = await postBytes(detect, small, 'image/jpeg', {}, url)
    expect([lite.status, lite.json.code]).toEqual([400, 'BPE-002003'])
    expect((await instantAt(url)).json.analyses[0].state).toBe('FINISHED')
  })

  it('a grey picture fails where a colour picture is declined', async () => {
    const { url } = await start({ ...open, SVC_SPOOFING_THRESHOLD: '0' })
    const image = await portraitImage('redhead')
    const grey = new Uint8ClampedArray(image.data)
    for (let at = 0; at < grey.length; at += 4)
      grey.fill((grey[at]! + 2 * grey[at + 1]! + grey[at + 2]!) / 4, at, at + 3)
    const photo = await testCodecs.encodeJpeg({ image: { ...image, data: grey }, quality: 92 })
    const codesOf = ({ json }: Answer) =>
      json.analyses[0].technical_meta_data.reasons.map(({ code }: { code: string }) => code)
    const declined = await instantAt(url)
    expect([declined.json.system_resolution, codesOf(declined)[0]]).toEqual(['DECLINED', 'print_or_screen'])
    const failed = await postForm(instant, form([file('a', photo)], quality), {}, url)
    expect(failed.json.analyses[0]).toMatchObject({ resolution: 'FAILED', error_code: 3005 })
    expect([failed.json.system_resolution, codesOf(failed)]).toEqual(['FAILED', ['grey']])
    const lite = await postBytes(detect, photo, 'image/jpeg', {}, url)
    expect([lite.status, lite.json.code]).toEqual([400, 'BPE-002003'])
    expect(lite.json.message).toContain('colour picture')
  })

  it('settings show the replay score and change the thresholds', async () => {
    const { url } = await start({
      ...open,
      SVC_CONFIDENCE_REPLAY_ENABLED: 'true',
      SVC_SPOOFING_THRESHOLD: '0',
      SVC_MATCH_THRESHOLD_MIN: '0',
      SVC_MATCH_THRESHOLD_MAX: '1',
    })
    const { json } = await instantAt(url)
    expect(json.analyses[0].results_media[0].results_data.confidence_replay).toBeGreaterThanOrEqual(0)
    expect(json.analyses[0].resolution_status).toBe('DECLINED')
    expect((await postBytes(detect, good, 'image/jpeg', {}, url)).json.passed).toBe(false)
    const parts = form([file('sample_1', good), file('sample_2', await portrait('redheadAgain'))])
    const compared = await postForm('/v1/face/pattern/extract_and_compare', parts, {}, url)
    expect(compared.json.decision).toBe('operator_required')
  })

  it('SVC_CORS_ORIGINS allows pages of other origins', async () => {
    const { url } = await start({ ...open, SVC_CORS_ORIGINS: 'https://app.example' })
    const origin = { Origin: 'https://app.example' }
    const ask = (path: string, headers: Record<string, string>) =>
      send(path, { method: 'OPTIONS', headers }, url)
    const allowed = async (path: string, method: string, header: string) => {
      const wish = { 'Access-Control-Request-Method': method, 'Access-Control-Request-Headers': header }
      const { status, headers } = await ask(path, { ...origin, ...wish })
      expect([status, headers.get('access-control-allow-origin')]).toEqual([204, origin.Origin])
      expect(headers.get('access-control-allow-headers')?.split(',')).toContain(header)
      return headers.get('access-control-allow-methods')
    }
    expect(await allowed(instant, 'POST', 'X-Forensic-Access-Token')).toBe('OPTIONS,POST')
    expect(await allowed('/api/version', 'GET', 'X-Forensics-Access-Token')).toBe('GET,HEAD,OPTIONS')
    const answer = await send('/api/version', { headers: origin }, url)
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin.Origin)
    expect(answer.headers.get('access-control-expose-headers')?.split(',')).toContain(
      'X-Vivace-Ignored-Parameters',
    )
    // Requests other than preflights are answered as usual.
    for (const headers of [{}, origin]) {
      const { status, text, headers: given } = await ask(instant, headers)
      expect([status, text, given.get('allow')]).toEqual([200, '', 'OPTIONS, POST'])
    }
    const nowhere = await ask('/api/nowhere', { ...origin, 'Access-Control-Request-Method': 'POST' })
    expect([nowhere.status, nowhere.json.error_code]).toEqual([404, 10])
  })

  it('settings limit pictures and bodies', async () => {
    const { url } = await start({ ...open, SVC_IMAGE_MEGAPIXELS_MAX: '1', OZ_ATTACHMENT_MAX_SIZE: '1' })
    const image = await portraitImage('redhead')
    const wide = { width: 1200, height: 900, data: new Uint8ClampedArray(1200 * 900 * 4) }
    wide.data.set(image.data.subarray(0, 100))
    const large = await testCodecs.encodeJpeg({ image: wide, quality: 50 })
    expect((await postBytes(detect, large, 'image/jpeg', {}, url)).json.code).toBe('BPE-002003')
    const heavy = new Uint8Array(1.5 * 2 ** 20)
    heavy.set(good)
    expect((await postForm(instant, form([file('a', heavy)], quality), {}, url)).json.error_code).toBe(14)
  })
})

describe.skipIf(isEdge)('under load', () => {
  it('a full queue answers 503 with Retry-After, and recovers', async () => {
    const { url } = await start({ ...open, ASSESS_QUEUE_MAX: '1' })
    const answers = await Promise.all(Array.from({ length: 12 }, () => instantAt(url)))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(0)
    const busy = answers.filter(({ status }) => status !== 200)
    expect(busy.length).toBeGreaterThan(0)
    for (const { status, headers, json } of busy) {
      expect([status, json.error_code]).toEqual([503, 11])
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    }
    const lite = await Promise.all(
      Array.from({ length: 12 }, () => postBytes(detect, good, 'image/jpeg', {}, url)),
    )
    const refused = lite.filter(({ status }) => status !== 200)
    expect(refused.length).toBeGreaterThan(0)
    for (const { status, headers, json } of refused) {
      expect([status, json.code]).toEqual([500, 'BPE-001001'])
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect((await instantAt(url)).status).toBe(200)
  })
})

/** The log lines of one kind of event. */
const logged = (server: TestServer, event: string): Record<string, unknown>[] =>
  server
    .lines()
    .filter((line) => line.includes(`"event":"${event}"`))
    .map((line) => JSON.parse(line))

const statusesIn = (server: TestServer) => logged(server, 'request').map(({ status }) => status)

describe.skipIf(isEdge)('the log', () => {
  // Deno waits for the reader of its output.
  it.skipIf(testedRuntime === 'deno')('that nobody reads for a while holds no request', async () => {
    const server = await start({ ...open, ASSESS_WORKERS: '1' })
    const output = server.process.stdout!
    output.pause()
    // A pipe takes 64 kB, and this test's side of it as much.
    for (let round = 0; round < 40; round++)
      await Promise.all(Array.from({ length: 40 }, () => send('/nothing-here', {}, server.url)))
    expect((await send('/livez', {}, server.url)).status).toBe(200)
    const before = server.lines().length
    output.resume()
    await expect.poll(() => server.lines().length - before, { timeout: 20_000 }).toBeGreaterThan(500)
    expect(await server.stop()).toBe(0)
  })

  it('errors that callers can provoke are logged below level error', async () => {
    const server = await start({
      ...open,
      ASSESS_QUEUE_MAX: '1',
      SVC_APP_COMPONENTS: 'auth,stateful,oz_collections',
    })
    const later = await postForm(
      instant,
      form([file('a', good)], { analyses: [{ type: 'documents' }] }),
      {},
      server.url,
    )
    expect([later.status, later.json.error_code]).toEqual([501, 2])
    const count = 12
    await Promise.all(Array.from({ length: count }, () => instantAt(server.url)))
    await Promise.all(
      Array.from({ length: count }, () => postBytes(detect, good, 'image/jpeg', {}, server.url)),
    )
    await expect.poll(() => statusesIn(server), { timeout: 10_000 }).toHaveLength(1 + 2 * count)
    expect(statusesIn(server)).toEqual(expect.arrayContaining([501, 503, 500]))
    expect(logged(server, 'not built').map(({ level }) => level)).toEqual(['info'])
    const failures = logged(server, 'failure').map(({ code, level }) => [code, level])
    expect(new Set(failures.map(String))).toEqual(new Set(['overloaded,warn']))
    expect(server.lines().filter((line) => line.includes('"level":"error"'))).toEqual([])
  })

  it('lines of settings and refusals have names and members, without values of operator and caller', async () => {
    const server = await start({ ...open, SVC_MOVEMENT_REQIRED: 'a_secret_of_a_caller' })
    expect(logged(server, 'unknown setting').map(({ message }) => message)).toEqual([
      'SVC_MOVEMENT_REQIRED is not a setting and has no effect; did you mean SVC_MOVEMENT_REQUIRED?',
    ])
    const secret = 'a_secret_of_a_caller'
    const params = { threshold_spoofing: 2 }
    for (const payload of [
      { analyses: [{ type: 'quality', params }] },
      { analyses: [{ type: 'quality', params: { [secret]: 1 } }] },
      { analyses: [], 'media:tags': { [secret]: secret } },
      { analyses: [] },
      { analyses: [{ type: 'collection' }] },
      { analyses: [{ type: 'quality', source_media: [secret] }] },
      { analyses: [{ type: 'biometry', params: { threshold_min: 0.9, threshold_max: 0.1 } }] },
    ])
      await postForm(instant, form([], payload), {}, server.url)
    // A part that is no picture, one that is damaged, and two of one name.
    for (const parts of [
      [file('a', good), file(secret, new TextEncoder().encode(secret))],
      [file('a', good), file(secret, good.slice(0, 2000))],
      [file(secret, good), file(secret, good)],
    ])
      await postForm(instant, form(parts, quality), {}, server.url)
    const headers = { 'X-Forensic-Company-Id': secret }
    await postForm(instant, form([], quality), headers, server.url)
    await postBytes(detect, new Uint8Array(3), 'text/plain', {}, server.url)
    await send(`/api/${secret}`, {}, server.url)
    await expect.poll(() => logged(server, 'request'), { timeout: 5000 }).toHaveLength(13)
    expect(logged(server, 'request').map(({ error_code, key_path }) => [error_code, key_path])).toEqual([
      [4, 'analyses.0.params.threshold_spoofing'],
      [4, 'analyses.0.params.*'],
      [5, 'media:tags.*'],
      [4, 'analyses'],
      [4, 'analyses.0.type'],
      [4, 'analyses.0.source_media.0'],
      [4, 'analyses.0.params.threshold_min'],
      [5, '*'],
      [4, '*'],
      [4, '*'],
      [4, 'X-Forensic-Company-Id'],
      ['BPE-002001', undefined],
      [10, undefined],
    ])
    expect(server.lines().join()).not.toContain(secret)
  })

  it('a disconnected caller is not logged as a failure', async () => {
    const server = await start(open)
    const isSeen = () => statusesIn(server).includes(499)
    const leave = async (afterMs: number) => {
      const leaving = new AbortController()
      const others = Array.from({ length: 8 }, () => instantAt(server.url))
      await sleep(50)
      const body = form([file('a', good)], quality)
      const left = send(instant, { method: 'POST', body, signal: leaving.signal }, server.url)
      await sleep(afterMs)
      leaving.abort()
      await left.catch(() => {})
      for (const { status } of await Promise.all(others)) expect(status).toBe(200)
    }
    // A busy machine sees a call only after it was left: then another one leaves later. Deno does not report it.
    for (const afterMs of testedRuntime === 'deno' ? [100] : [100, 200, 400, 800, 1600, 3200]) {
      if (isSeen()) break
      await leave(afterMs)
      await sleep(500)
    }
    if (testedRuntime !== 'deno') await expect.poll(isSeen, { timeout: 10_000 }).toBe(true)
    expect([200, 400, 499]).toEqual(expect.arrayContaining(statusesIn(server)))
    expect(server.lines().filter((line) => line.includes('"event":"failure"'))).toEqual([])
  })
})

describe.skipIf(isEdge)('metrics', () => {
  const token = 'scrape with this'

  /** The values of one metric by its labels. */
  const valuesOf = (text: string, name: string): Record<string, number> =>
    Object.fromEntries(
      [...text.matchAll(new RegExp(`^${name}(?:\\{(.*)\\})? (\\S+)$`, 'gm'))].map(
        ([, labels = '', value]) => [labels, Number(value)],
      ),
    )

  it('count requests, verdicts, stages, database and memory, for those who have the token', async () => {
    const server = await start({
      ...open,
      SVC_METRICS_TOKEN: token,
      SVC_METRICS_ADDRESSES: '127.0.0.0/8, ::1',
      SVC_ADMIN_EMAIL: 'root@vivace.test',
      SVC_ADMIN_PASSWORD: 'a password',
    })
    const scrape = (bearer: string | null) =>
      send('/metrics', { headers: bearer === null ? {} : { Authorization: `Bearer ${bearer}` } }, server.url)
    expect([(await scrape(null)).status, (await scrape('wrong')).status]).toEqual([401, 401])
    expect((await instantAt(server.url)).status).toBe(200)
    await postForm(instant, form([], { analyses: [{ type: 'no such' }] }), {}, server.url)
    await send('/api/secret_of_a_caller', {}, server.url)
    const { status, text, headers } = await scrape(token)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
    const requests = valuesOf(text, 'vivace_http_requests_total')
    const route = 'method="POST",route="/api/instant/folders"'
    expect(requests[`${route},status="200",error_code=""`]).toBe(1)
    expect(requests[`${route},status="400",error_code="4"`]).toBe(1)
    expect(requests['method="GET",route="/metrics",status="401",error_code="6"']).toBe(1)
    expect(valuesOf(text, 'vivace_http_request_seconds_count')['route="/api/instant/folders"']).toBe(2)
    const counted = (name: string) =>
      Object.fromEntries(Object.entries(valuesOf(text, name)).filter(([, value]) => value !== 0))
    expect(counted('vivace_analyses_total')).toEqual({
      'type="QUALITY",verdict="SUCCESS",error_code=""': 1,
    })
    expect(valuesOf(text, 'vivace_http_server_errors_total')).toMatchObject({
      'status="500"': 0,
      'status="502"': 0,
    })
    expect(valuesOf(text, 'vivace_media_total')['outcome="assessed"']).toBe(1)
    const stages = Object.keys(valuesOf(text, 'vivace_stage_seconds_total'))
    expect(stages).toEqual(expect.arrayContaining(['stage="decode"', 'stage="detect"', 'stage="pad"']))
    expect(valuesOf(text, 'vivace_database_seconds_count')['kind="read"']).toBeGreaterThan(0)
    expect(valuesOf(text, 'vivace_memory_bytes')['kind="rss"']).toBeGreaterThan(2 ** 20)
    expect(valuesOf(text, 'vivace_workers_ready')).toEqual({ '': 1 })
    expect(valuesOf(text, 'vivace_worker_restarts_total')).toEqual({ '': 0 })
    expect(valuesOf(text, 'vivace_backlog')).toEqual({
      'kind="analyses"': 0,
      'kind="webhooks"': 0,
      'kind="undeleted_files"': 0,
      'kind="failed_removals"': 0,
    })
    expect(valuesOf(text, 'vivace_disk_free_bytes')['']).toBeGreaterThan(0)
    expect(text).not.toContain('secret_of_a_caller')
    await erase(server.url)
    expect(valuesOf((await scrape(token)).text, 'vivace_folders_removed_total')).toEqual({
      'why="age"': 0,
      'why="company"': 0,
      'why="caller"': 1,
      'why="personal_data"': 1,
    })
  })

  /** Removes personal data of a folder, twice, and then the folder. */
  async function erase(url: string): Promise<void> {
    const credentials = { email: 'root@vivace.test', password: 'a password' }
    const body = JSON.stringify({ credentials })
    const json = { 'Content-Type': 'application/json' }
    const { access_token } = (await send('/api/authorize/auth', { method: 'POST', headers: json, body }, url))
      .json
    const headers = { 'X-Forensic-Access-Token': access_token }
    const { folder_id } = (await postForm('/api/folders/', form([], {}), headers, url)).json
    for (const part of ['/pi', '/pi', ''])
      expect(
        (await send(`/api/folders/${folder_id}${part}`, { method: 'DELETE', headers }, url)).status,
      ).toBe(204)
  }

  it('guesses of the token are limited, and reveal nothing when they are', async () => {
    const { url } = await start({ SVC_APP_COMPONENTS: 'stateless', SVC_METRICS_TOKEN: token })
    const guess = async (bearer: string) => {
      const { status, headers } = await send(
        '/metrics',
        { headers: { Authorization: `Bearer ${bearer}` } },
        url,
      )
      return [status, Number(headers.get('Retry-After')) > 0]
    }
    for (let i = 0; i < 60; i++) expect(await guess(`wrong ${i}`)).toEqual([401, false])
    expect([await guess('wrong'), await guess(token)]).toEqual([
      [429, true],
      [429, true],
    ])
  })

  it('are kept from other addresses', async () => {
    const metrics = { SVC_METRICS_ADDRESSES: '10.0.0.0/8' }
    const { url } = await start({ SVC_APP_COMPONENTS: 'stateless', ...metrics })
    expect((await send('/metrics', {}, url)).status).toBe(403)
  })
})

describe.skipIf(isEdge)('ending', () => {
  it('SIGTERM finishes accepted requests, then exits cleanly', async () => {
    const server = await startServer({ ...open, ASSESS_WORKERS: '1' })
    const accepted: Promise<Answer>[] = Array.from({ length: 6 }, () => instantAt(server.url))
    await Promise.race(accepted)
    const code = server.stop()
    const answers = await Promise.all(accepted)
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
    expect(await code).toBe(0)
  })

  it('a second server on the same data is refused in one line, until the first one has ended', async () => {
    const data = await mkdtemp(path.join(tmpdir(), 'vivace-shared-'))
    const environment = { ASSESS_WORKERS: '1', DATA_DIR: data, SVC_ADMIN_PASSWORD: 'choose a good one' }
    const first = await start(environment)
    const ended = new Promise((resolve) => first.process.once('exit', resolve))
    const { code, output } = await failToStart(environment)
    const lines = output.split('\n').filter((line) => line !== '' && !line.startsWith('{'))
    expect([code, lines]).toEqual([
      1,
      [expect.stringContaining(`${data}/vivace.db is used by another process`)],
    ])
    first.process.kill('SIGKILL')
    await ended
    const next = await start(environment)
    await next.stop()
    await rm(data, { recursive: true, force: true })
  })

  it('a server whose port is taken names it', async () => {
    const taken = createServer(() => {})
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    const { port } = taken.address() as AddressInfo
    const { code, output } = await failToStart({
      SVC_APP_COMPONENTS: 'stateless',
      ASSESS_WORKERS: '1',
      PORT: String(port),
    })
    taken.close()
    const lines = output.split('\n').filter((line) => line !== '' && !line.startsWith('{'))
    expect([code, lines]).toEqual([1, [expect.stringContaining(`Cannot listen on 127.0.0.1:${port} (`)]])
    expect(output).toContain('choose another port with PORT')
  })
})
