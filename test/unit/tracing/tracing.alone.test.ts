import { propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
import { beforeEach, describe, expect, it } from 'vitest'
import { AppError } from '../../../src/errors.ts'
import { type RequestOrigin, Tracing } from '../../../src/tracing/tracing.ts'

const exporter = new InMemorySpanExporter()
const tracing = new Tracing()
const hadSdk = tracing.hasSdk
new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register()

beforeEach(() => exporter.reset())

const told = () =>
  exporter.getFinishedSpans().map(({ name, attributes, parentSpanContext, status }) => ({
    name,
    attributes,
    parent: parentSpanContext?.spanId,
    isFailed: status.code === 2,
  }))

const callerTrace = '4bf92f3577b34da6a3ce929d0e0e4736'
const traceparent = `00-${callerTrace}-00f067aa0ba902b7-01`

const from = (headers: Record<string, string>, isTrusted: boolean): RequestOrigin => ({
  isTrusted,
  header: (name) => headers[name],
})
const direct = from({}, false)

/** Runs a request as an SDK that watches the server does: within a span of the trace that its headers name. */
function watched(headers: Record<string, string>, isTrusted: boolean): Promise<void> {
  const tracer = trace.getTracer('watching')
  const parent = propagation.extract(ROOT_CONTEXT, headers)
  return tracer.startActiveSpan('watched', {}, parent, async (span) => {
    await tracing.inRequestSpan(from(headers, isTrusted), async () => answered)
    span.end()
  })
}
const answered = { method: 'GET', route: '/api/config', status: 200 }

describe('traces', () => {
  it('tell whether an SDK is registered, also of an instance that is older', () => {
    expect([hadSdk, tracing.hasSdk, new Tracing().hasSdk]).toEqual([false, true, true])
    expect(told()).toEqual([])
  })

  it('a request belongs to the trace of its caller, and what it does to the request', async () => {
    await tracing.inRequestSpan(from({ traceparent }, true), async () => {
      await tracing.inInnerSpan('database read', async () => 1, { isCall: true })
      return { method: 'POST', route: '/api/folders/', status: 201 }
    })
    const [inner, request] = exporter.getFinishedSpans()
    expect(request).toMatchObject({
      name: 'POST /api/folders/',
      attributes: { 'http.route': '/api/folders/', 'http.response.status_code': 201 },
      parentSpanContext: { spanId: '00f067aa0ba902b7' },
    })
    expect(inner!.parentSpanContext!.spanId).toBe(request!.spanContext().spanId)
    expect(inner!.spanContext().traceId).toBe(callerTrace)
  })

  it.each(['nonsense', '00-0-0-0', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`])(
    'a caller that names no trace, as by "%s", begins one',
    async (value) => {
      await tracing.inRequestSpan(from({ traceparent: value }, true), async () => ({
        method: 'GET',
        route: '/livez',
        status: 200,
      }))
      const [request] = exporter.getFinishedSpans()
      expect(request!.parentSpanContext).toBeUndefined()
      expect(request!.spanContext().traceId).toMatch(/^[0-9a-f]{32}$/)
    },
  )

  it('a stranger chooses neither the trace nor the sampling', async () => {
    await tracing.inRequestSpan(from({ traceparent }, false), async () => answered)
    const [request] = exporter.getFinishedSpans()
    expect(request!.parentSpanContext).toBeUndefined()
    expect(request!.spanContext().traceId).not.toBe(callerTrace)
  })

  it.each(['01', '00'])('nor through an SDK that watches the server: flags %s', async (flags) => {
    await watched(
      { traceparent: `00-${callerTrace}-00f067aa0ba902b7-${flags}`, tracestate: 'vendor=text' },
      false,
    )
    const request = exporter.getFinishedSpans().find(({ name }) => name === 'GET /api/config')!
    expect(request.parentSpanContext).toBeUndefined()
    expect(request.spanContext().traceId).not.toBe(callerTrace)
    expect(request.links).toMatchObject([{ context: { traceId: callerTrace } }])
    expect(request.links[0]!.context.traceState).toBeUndefined()
  })

  it.each<[string, Record<string, string>, boolean]>([
    ['a trusted proxy', { traceparent, tracestate: 'vendor=text' }, true],
    ['a stranger without a trace', {}, false],
  ])('the request of %s belongs to the span of such an SDK', async (_, headers, isTrusted) => {
    await watched(headers, isTrusted)
    const [request, outer] = exporter.getFinishedSpans()
    expect(request!.parentSpanContext!.spanId).toBe(outer!.spanContext().spanId)
    expect(request!.links).toEqual([])
    expect(request!.spanContext().traceState).toBeUndefined()
  })

  it('a refusal has its code and is no failure of the service; a 5xx is one', async () => {
    for (const [status, errorCode] of [
      [400, 4],
      [503, 8],
    ] as const)
      await tracing.inRequestSpan(direct, async () => ({
        method: 'GET',
        route: '/',
        status,
        errorCode,
      }))
    expect(told()).toMatchObject([
      { attributes: { 'vivace.error_code': 4 }, isFailed: false },
      { attributes: { 'vivace.error_code': 8, 'error.type': '503' }, isFailed: true },
    ])
  })

  it('an error passes, and leaves its kind but not its text', async () => {
    const secret = 'the name of a person'
    for (const error of [new AppError('media_unreadable', secret), new TypeError(secret), secret])
      await expect(tracing.inSpan('assess medium', () => Promise.reject(error))).rejects.toBe(error)
    expect(told().map(({ attributes }) => attributes['error.type'])).toEqual([
      'media_unreadable',
      'TypeError',
      'unknown',
    ])
    expect(JSON.stringify(told())).not.toContain(secret)
    expect(exporter.getFinishedSpans().flatMap(({ events }) => events)).toEqual([])
  })

  it('work that returns may have failed', async () => {
    await tracing.inSpan('webhook', async (span) => span.fail('timeout'))
    expect(told()).toMatchObject([{ attributes: { 'error.type': 'timeout' }, isFailed: true }])
  })

  it('work that is done often in the background has no spans of its own', async () => {
    expect(await tracing.inInnerSpan('database read', async () => 'rows', {})).toBe('rows')
    expect(told()).toEqual([])
  })

  it('work apart from a request does not belong to it', async () => {
    await tracing.inSpan('request', () =>
      tracing.apart(() => tracing.inSpan('analyse folder', async () => null)),
    )
    expect(told()).toMatchObject([
      { name: 'analyse folder', parent: undefined },
      { name: 'request', parent: undefined },
    ])
  })
})
