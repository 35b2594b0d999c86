/**
 * Traces in the terms of OpenTelemetry. Spans go to the SDK that the operator registers in the same process (Deno has one of
 * its own). No attribute holds anything that a caller chose.
 */
import {
  type Attributes,
  type Context,
  context,
  defaultTextMapGetter,
  isSpanContextValid,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { AppError } from '../errors.ts'
import { softwareVersion } from '../version.ts'

/** What the span of a request tells once it is answered. */
export interface RequestOutcome {
  method: string
  /** The pattern of the route, not the path. */
  route: string
  status: number
  /** Code of the API's error, if the request was refused. */
  errorCode?: number | string | undefined
}

/** The part of a span that its work may write. */
interface OpenSpan {
  describe(attributes: Attributes): void
  /** Marks the work as failed, although it returns. */
  fail(type: string): void
}

/** What a request says about the trace that it belongs to. */
export interface RequestOrigin {
  /** Whether the caller may choose its trace and whether it is sampled. */
  isTrusted: boolean
  /** A header of the request. */
  header(name: string): string | undefined
}

interface SpanOptions {
  /** Whether another service is asked. */
  isCall?: boolean
  attributes?: Attributes
}

/** Names the kind of an error, never its message, which may quote a caller. */
const errorType = (error: unknown): string =>
  error instanceof AppError ? error.code : error instanceof Error ? error.name : 'unknown'

function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

/** The trace that a caller names (W3C Trace Context), without its free text (`tracestate`). */
const callerContext = (traceparent: string | undefined): Context =>
  traceparent === undefined
    ? ROOT_CONTEXT
    : propagation.extract(ROOT_CONTEXT, { traceparent }, defaultTextMapGetter)

/** Whether an SDK that watches the server may have taken the trace of a stranger for the one that the request belongs to. */
const isForeign = ({ isTrusted, header }: RequestOrigin): boolean =>
  !isTrusted && ['traceparent', ...propagation.fields()].some((name) => header(name) !== undefined)

/** Names a span without the free text of callers that it passes on (`tracestate`). */
function nameSpan(span: Span): SpanContext {
  const { traceId, spanId, traceFlags } = span.spanContext()
  return { traceId, spanId, traceFlags }
}

/** Opens spans around work. */
export class Tracing {
  readonly #tracer = trace.getTracer('vivace', softwareVersion)

  /** Whether an SDK takes spans. */
  get hasSdk(): boolean {
    // A span that does not end is not sent.
    return isSpanContextValid(this.#tracer.startSpan('start', {}, ROOT_CONTEXT).spanContext())
  }

  /** Runs work within a span that ends with it. What that work does becomes part of the same trace. */
  inSpan<T>(
    name: string,
    work: (span: OpenSpan) => Promise<T>,
    { isCall = false, attributes = {} }: SpanOptions = {},
  ): Promise<T> {
    const kind = isCall ? SpanKind.CLIENT : SpanKind.INTERNAL
    return this.#tracer.startActiveSpan(name, { kind, attributes }, async (span) => {
      try {
        return await work({
          describe: (more) => void span.setAttributes(more),
          fail: (type) => fail(span, type),
        })
      } catch (error) {
        fail(span, errorType(error))
        throw error
      } finally {
        span.end()
      }
    })
  }

  /** The same for work that is done often in the background: without a span of its own outside of others. */
  inInnerSpan<T>(name: string, work: () => Promise<T>, options: SpanOptions): Promise<T> {
    return trace.getActiveSpan() ? this.inSpan(name, work, options) : work()
  }

  /**
   * Runs a request within a span. An SDK that watches the server by itself has opened one before; then this is a part of it, unless
   * a stranger may have chosen its trace: then it begins a trace that is linked to it.
   */
  inRequestSpan(origin: RequestOrigin, answer: () => Promise<RequestOutcome>): Promise<void> {
    const outer = trace.getActiveSpan()
    const above = outer && !isForeign(origin) ? nameSpan(outer) : null
    const kind = above ? SpanKind.INTERNAL : SpanKind.SERVER
    const own = origin.isTrusted ? callerContext(origin.header('traceparent')) : ROOT_CONTEXT
    const parent = above ? trace.setSpanContext(context.active(), above) : own
    const links = outer && !above ? [{ context: nameSpan(outer) }] : []
    return this.#tracer.startActiveSpan('request', { kind, links }, parent, async (span) => {
      try {
        const { method, route, status, errorCode } = await answer()
        span.updateName(`${method} ${route}`)
        span.setAttributes({
          'http.request.method': method,
          'http.route': route,
          'http.response.status_code': status,
        })
        if (errorCode !== undefined) span.setAttribute('vivace.error_code', errorCode)
        if (status >= 500) fail(span, String(status))
      } finally {
        span.end()
      }
    })
  }

  /** Runs work that belongs to no request, although one may have begun it. */
  apart<T>(work: () => T): T {
    return context.with(ROOT_CONTEXT, work)
  }
}
