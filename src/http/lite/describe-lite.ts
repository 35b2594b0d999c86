import { describeEndpoint, type RouteDescription } from '../describe-endpoint.ts'

/** Describes a route of the Lite service for the API reference. */
export const describeLite = (
  summary: string,
  answers: RouteDescription['answers'],
  more: Partial<RouteDescription> = {},
) => describeEndpoint({ tag: 'Lite', summary, answers, access: 'lite', ...more })
