import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { call, createClient } from '../../../client/call.ts'
import {
  BusyError,
  InvalidRequestError,
  NetworkError,
  readRetryAfter,
  ServerError,
} from '../../../client/errors.ts'
import { pauseBefore } from '../../../client/retry.ts'

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

type Answer = (req: IncomingMessage, res: ServerResponse, number: number) => void

/** A server that answers the n-th call with the n-th answer, the last one for all that follow. */
async function serve(...answers: Answer[]): Promise<{ url: string; calls: string[] }> {
  const calls: string[] = []
  const server = createServer((req, res) => {
    calls.push(`${req.method} ${req.url}`)
    req.resume().on('end', () => answers[Math.min(calls.length, answers.length) - 1]!(req, res, calls.length))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  stops.push(() => server.close())
  const address = server.address() as { port: number }
  return { url: `http://127.0.0.1:${address.port}`, calls }
}

const json =
  (status: number, body: object, headers: Record<string, string> = {}): Answer =>
  (_, res) => {
    res.writeHead(status, { 'Content-Type': 'application/json', ...headers })
    res.end(JSON.stringify(body))
  }

const busy = (status: number) =>
  json(status, { error_code: 11, error_message: 'busy' }, { 'Retry-After': '0' })
const versions = json(200, { core: '1' })
const retry = { attempts: 2, pauseMaxMs: 2000 }

describe('attempts', () => {
  it('repeats any call that a busy server refused, after the time that it names', async () => {
    const { url, calls } = await serve(busy(503), busy(429), json(201, { company_id: 'c' }))
    const client = createClient({ url, token: 't', retry })
    const company = await call(client, 'POST /api/companies', { body: { name: 'A' } })
    expect(company.company_id).toBe('c')
    expect(calls).toHaveLength(3)
  })

  it('ends with the last refusal', async () => {
    const { url, calls } = await serve(busy(503))
    const error = await call(createClient({ url, retry }), 'GET /api/version').catch((thrown) => thrown)
    expect(error).toBeInstanceOf(BusyError)
    expect([error.status, error.errorCode, error.retryAfterS, calls.length]).toEqual([503, 11, 0, 3])
  })

  it('does not wait longer than allowed', async () => {
    const { url, calls } = await serve(json(503, {}, { 'Retry-After': '3600' }))
    await expect(call(createClient({ url, retry }), 'GET /api/version')).rejects.toBeInstanceOf(BusyError)
    expect(calls).toHaveLength(1)
  })

  it('repeats what has the same effect twice, and nothing else, when a connection breaks', async () => {
    const broken: Answer = (_, res) => res.destroy()
    const reading = await serve(broken, versions)
    expect(await call(createClient({ url: reading.url, retry }), 'GET /api/version')).toEqual({ core: '1' })
    const writing = await serve(broken, json(201, {}))
    const client = createClient({ url: writing.url, retry })
    await expect(call(client, 'POST /api/companies', { body: { name: 'A' } })).rejects.toBeInstanceOf(
      NetworkError,
    )
    expect(writing.calls).toHaveLength(1)
  })

  it('does not repeat what would fail again', async () => {
    const refused = await serve(
      json(400, { error_code: 4, error_message: 'no', error_details: { key_path: 'a' } }),
    )
    const error = await call(createClient({ url: refused.url, retry }), 'GET /api/version').catch(
      (thrown) => thrown,
    )
    expect(error).toBeInstanceOf(InvalidRequestError)
    expect([error.message, error.details, refused.calls.length]).toEqual(['no', { key_path: 'a' }, 1])
    const failed = await serve(json(500, { error_code: 0 }))
    await expect(call(createClient({ url: failed.url, retry }), 'GET /api/version')).rejects.toBeInstanceOf(
      ServerError,
    )
    expect(failed.calls).toHaveLength(1)
  })

  it('stops waiting when the caller aborts', async () => {
    const { url, calls } = await serve(json(503, {}, { 'Retry-After': '1' }))
    const stopping = call(createClient({ url, retry }), 'GET /api/version', {
      signal: AbortSignal.timeout(200),
    })
    await expect(stopping).rejects.toThrow(/timeout|timed out/i)
    expect(calls).toHaveLength(1)
  })

  it('spreads the pauses of callers that were refused together', () => {
    const refused = new BusyError('', {
      status: 503,
      errorCode: 11,
      details: null,
      requestId: null,
      retryAfterS: null,
    })
    const pauses = [0, 0.5, 1].map((random) =>
      pauseBefore(2, 'GET', refused, { attempts: 3, pauseMaxMs: 1e4 }, () => random),
    )
    expect(pauses).toEqual([500, 1000, 1500])
  })
})

describe('Retry-After', () => {
  it('is read in seconds and as a date', () => {
    expect(readRetryAfter('7', 0)).toBe(7)
    expect(readRetryAfter('Thu, 01 Jan 1970 00:01:00 GMT', 30_000)).toBe(30)
    expect([null, '', 'soon'].map((text) => readRetryAfter(text, 0))).toEqual([null, null, null])
  })
})

describe('sessions', () => {
  it('are opened once for calls at one time, and again after their end', async () => {
    let sessions = 0
    let valid = ''
    const { url, calls } = await serve((req, res) => {
      if (req.url === '/api/authorize/auth') {
        valid = `token-${++sessions}`
        json(200, { access_token: valid })(req, res, 0)
      } else if (req.headers['x-forensic-access-token'] === valid) versions(req, res, 0)
      else json(401, { error_code: 8 })(req, res, 0)
    })
    const client = createClient({ url, credentials: { email: 'a@b.c', password: 'p' } })
    await Promise.all([call(client, 'GET /api/version'), call(client, 'GET /api/version')])
    expect(sessions).toBe(1)
    valid = 'another'
    await call(client, 'GET /api/version')
    expect(sessions).toBe(2)
    expect(calls.filter((line) => line === 'GET /api/version')).toHaveLength(4)
  })
})

describe('addresses', () => {
  it('have the parts of the path and the query encoded', async () => {
    const { url, calls } = await serve(versions)
    const client = createClient({ url: `${url}/` })
    await call(client, 'GET /api/folders/{folder}', {
      path: { folder: '../a b' },
      query: { meta_data: 'id==1,x', with_analyses: true, left: undefined, 'time_created.min': new Date(0) },
    })
    expect(calls[0]).toBe(
      'GET /api/folders/..%2Fa%20b?meta_data=id%3D%3D1%2Cx&with_analyses=true&time_created.min=1970-01-01T00%3A00%3A00.000Z',
    )
    await expect(call(client, 'GET /api/folders/{folder}', { path: { folder: '' } })).rejects.toThrow(
      'path needs',
    )
  })
})
