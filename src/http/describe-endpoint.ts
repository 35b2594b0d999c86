/** Describes routes for the generated API reference. */
import { describeRoute, resolver } from 'hono-openapi'
import type { GenericSchema } from 'valibot'

interface RouteDescription {
  tag: string
  summary: string
  /** Schema of the body, by content type. */
  body?: Record<string, GenericSchema>
  /** Meaning of each status code. */
  answers: Record<number, string>
}

/** OpenAPI description of a route. Its schemas are the ones that parse the request. */
export function describeEndpoint({ tag, summary, body, answers }: RouteDescription) {
  const content = Object.entries(body ?? {}).map(([type, schema]) => [type, { schema: resolver(schema) }])
  return describeRoute({
    tags: [tag],
    summary,
    ...(body ? { requestBody: { content: Object.fromEntries(content) } } : {}),
    responses: Object.fromEntries(
      Object.entries(answers).map(([code, description]) => [code, { description }]),
    ),
  })
}
