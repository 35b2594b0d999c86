/** Declares routes for the generated reference. */
import { describeRoute, resolver } from 'hono-openapi'
import type { GenericSchema } from 'valibot'

interface RouteDescription {
  tag: string
  summary: string
  /** What comes in, by content type. */
  body?: Record<string, GenericSchema>
  /** What the codes of the answer mean. */
  answers: Record<number, string>
}

/** OpenAPI description of a route; its schemas are the ones that parse the request. */
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
