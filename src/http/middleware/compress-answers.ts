import type { MiddlewareHandler } from 'hono'
import { compress } from 'hono/compress'
import type { Platform } from '../../platform/platform.ts'
import type { AppEnv } from '../app-env.ts'

const bytesMin = 1024

/**
 * Compresses longer JSON answers to GET. Others, such as tokens and verdicts, are short, and repeat what the caller chose: their length
 * would tell of the rest.
 */
export function compressAnswers({ runtime }: Platform): MiddlewareHandler<AppEnv> {
  const gzip = compress({ encoding: 'gzip', threshold: bytesMin, contentTypeFilter: /^application\/json/ })
  // The edge before Workers compresses by itself.
  return (c, next) => (c.req.method === 'GET' && runtime !== 'workers' ? gzip(c, next) : next())
}
