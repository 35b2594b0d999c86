/** Spans of OpenTelemetry: on Node by an SDK that is loaded before the server, on Deno by its own. */
import { request as callFrom, type Server } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { portrait } from '../fixtures/portraits.ts'
import { listen, stop } from '../fixtures/s3-server.ts'
import { startServer, type TestServer, testedRuntime } from '../fixtures/server.ts'
import { file, form } from './client.ts'

interface Span {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  links?: { traceId: string }[]
  attributes: { key: string; value: unknown }[]
}

const callerTrace = '4bf92f3577b34da6a3ce929d0e0e4736'
const callerSpan = '00f067aa0ba902b7'
const strangerTrace = 'a5ce929d0e0e47364bf92f3577b34da6'
const secret = 'a-name-that-a-caller-chose'

const sdk: Partial<Record<typeof testedRuntime, Record<string, string>>> = {
  node: { NODE_OPTIONS: `--import=${new URL('../fixtures/tracing-sdk.mjs', import.meta.url)}` },
  deno: { OTEL_DENO: 'true', OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', OTEL_BSP_SCHEDULE_DELAY: '100' },
}

describe.skipIf(!sdk[testedRuntime])('traces of OpenTelemetry', () => {
  const spans: Span[] = []
  let written = ''
  let collector: Server
  let server: TestServer

  beforeAll(async () => {
    const { endpoint, server: listening } = await listen(async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString()
      if (request.url === '/v1/traces') {
        const { resourceSpans } = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }
        const sent = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
        spans.push(...sent)
        // Without those of the SDK's own, which have the name of a method.
        written += JSON.stringify(sent.filter(({ name }) => !/^[A-Z]+$/.test(name)))
      }
      response.setHeader('Content-Type', 'application/json').end('{}')
    })
    collector = listening
    server = await startServer({
      ...sdk[testedRuntime],
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      SVC_AUTHORIZE_DISABLED_STATELESS: 'true',
      TRUSTED_PROXIES: '127.0.0.1',
      SVC_ADMIN_EMAIL: 'root@vivace.test',
      SVC_ADMIN_PASSWORD: 'a password',
      ASSESS_WORKERS: '1',
    })
  })

  afterAll(async () => {
    await server?.stop()
    await stop(collector)
  })

  /** @throws {Error} if it does not come within 75 s */
  const spanOf = async (isWanted: (span: Span) => boolean): Promise<Span> => {
    for (let i = 0; i < 1500; i++) {
      const found = spans.find(isWanted)
      if (found) return found
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    throw new Error(`among ${spans.map(({ name }) => name).join(', ')}`)
  }

  /** Whether a span is below another one. */
  const isBelow = (span: Span | undefined, above: string): boolean =>
    span?.parentSpanId === above ||
    (span?.parentSpanId !== undefined &&
      isBelow(
        spans.find(({ spanId }) => spanId === span.parentSpanId),
        above,
      ))

  it('a call has a span in the trace of its caller, and its medium one below it', async () => {
    const { status } = await fetch(`${server.url}/api/instant/folders/`, {
      method: 'POST',
      headers: { traceparent: `00-${callerTrace}-${callerSpan}-01`, tracestate: `vendor=${secret}` },
      body: form([file(secret, await portrait('redhead'))], {
        analyses: [{ type: 'quality' }],
        'folder:meta_data': { name: secret },
      }),
    })
    expect(status).toBe(200)
    const medium = await spanOf(({ name }) => name === 'assess medium')
    // Spans come in the order in which they end, in several parcels: the SDK's own of the call, between the two, after it.
    const request = await spanOf(
      (span) =>
        span.name === 'POST /api/instant/folders' &&
        isBelow(medium, span.spanId) &&
        isBelow(span, callerSpan),
    )
    expect(request.traceId).toBe(callerTrace)
    expect(medium.attributes.map(({ key }) => key)).toContain('vivace.stage_ms.decode')
  })

  // Elsewhere the machine has one loopback address.
  it.runIf(process.platform === 'linux').each(['01', '00'])(
    'a stranger chooses neither trace nor sampling, although the SDK watches the server: flags %s',
    async (flags) => {
      const known = new Set(spans)
      const headers = { traceparent: `00-${strangerTrace}-${callerSpan}-${flags}` }
      const status = await new Promise((resolve, reject) =>
        callFrom(`${server.url}/api/config/`, { localAddress: '127.0.0.2', headers }, (response) => {
          response.resume().once('end', () => resolve(response.statusCode))
        })
          .once('error', reject)
          .end(),
      )
      expect(status).toBe(200)
      const request = await spanOf((span) => span.name === 'GET /api/config' && !known.has(span))
      expect(request.traceId).not.toBe(strangerTrace)
      expect(request.parentSpanId || undefined).toBeUndefined()
      if (flags === '01') expect(request.links).toMatchObject([{ traceId: strangerTrace }])
    },
  )

  it('analyses in the background have a trace of their own, with what they ask the database', async () => {
    const call = async (path: string, body: FormData | string, token = '') => {
      const headers = { 'Content-Type': 'application/json', 'X-Forensic-Access-Token': token }
      const response = await fetch(`${server.url}${path}`, {
        method: 'POST',
        headers: body instanceof FormData ? { 'X-Forensic-Access-Token': token } : headers,
        body,
      })
      expect(response.status).toBeLessThan(300)
      return response.json()
    }
    const credentials = { email: 'root@vivace.test', password: 'a password' }
    const { access_token } = await call('/api/authorize/auth', JSON.stringify({ credentials }))
    const { folder_id } = await call(
      '/api/folders/',
      form([file(secret, await portrait('redhead'))], { 'folder:meta_data': { name: secret } }),
      access_token,
    )
    await call(`/api/folders/${folder_id}/analyses/`, '{"analyses": [{"type": "quality"}]}', access_token)
    const folder = await spanOf(({ name }) => name === 'analyse folder')
    expect(folder.parentSpanId || undefined).toBeUndefined()
    await spanOf((span) => span.name === 'database write' && isBelow(span, folder.spanId))
    await spanOf((span) => span.name === 'database write' && span.traceId !== folder.traceId)
    await spanOf(({ name }) => name === 'media put')
  })

  it('probes have none', async () => {
    for (const probe of ['/livez', '/readyz', '/api/config/']) await fetch(`${server.url}${probe}`)
    await spanOf(({ name }) => name === 'GET /api/config')
    expect(spans.filter(({ name }) => /livez|readyz/.test(name))).toEqual([])
  })

  it('nothing that a caller chose is in them', () => {
    expect(spans.length).toBeGreaterThan(5)
    expect(written).not.toContain(secret)
    expect(written).not.toContain('root@vivace.test')
  })
})
