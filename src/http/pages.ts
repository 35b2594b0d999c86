/**
 * Pages and scripts for browsers: the try page, `/capture`, `/docs`, `/console`, the guide, and what they load below `/client` and
 * `/pages`; sample pictures below `/samples`.
 */
import { type Context, Hono } from 'hono'
import { AppError } from '../errors.ts'
import type { BrowserFile } from '../platform/browser-files.ts'
import type { AppEnv, Deps } from './app-env.ts'
import { namesTag } from './entity-tag.ts'

/** The pages by path. */
const pages: Record<string, string> = {
  '/': 'try.html',
  '/capture': 'capture.html',
  '/docs': 'docs.html',
  '/console': 'console.html',
  '/guide': 'guide.html',
}

/**
 * A page loads from this server alone, and runs no inline script or style.
 * @param trusted the only policy of Trusted Types
 */
const contentPolicy = (trusted: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' blob:",
    "media-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    // No markup or script is made from text, not even by a policy of a library.
    "require-trusted-types-for 'script'",
    `trusted-types ${trusted}`,
  ].join('; ')

/** A worker has the policy of its script: that of the face finder compiles its kernel, which no page may. */
const workerPolicy = "default-src 'none'; script-src 'wasm-unsafe-eval'; connect-src 'self'"

const pageHeaders = {
  'Content-Security-Policy': contentPolicy("'none'"),
  'Permissions-Policy': 'camera=(self), microphone=(), geolocation=()',
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
}

/** The capture element names the script of its worker with this policy. */
const captureHeaders = { ...pageHeaders, 'Content-Security-Policy': contentPolicy('vivace-face') }

/** Scripts are public, and pages of any origin may load them. What they call is for `SVC_CORS_ORIGINS` to allow. */
const sharedHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Content-Security-Policy': workerPolicy,
}

const revalidate = 'no-cache'
const forEver = 'public, max-age=31536000, immutable'

/** Answers with a file: 304 if the caller has it, compressed if the caller accepts that. */
function send(c: Context<AppEnv>, file: BrowserFile, headers: Record<string, string>): Response {
  // Weak: the same content, compressed or not.
  const tag = `W/"${file.hash}"`
  const told: Record<string, string> = {
    ...headers,
    ETag: tag,
    Vary: 'Accept-Encoding',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': c.req.query('v') === file.hash ? forEver : revalidate,
  }
  if (namesTag(c.req.header('If-None-Match'), `"${file.hash}"`)) return c.body(null, 304, told)
  const isCompressed =
    file.gzip !== null &&
    /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(c.req.header('Accept-Encoding') ?? '')
  const body = isCompressed ? file.gzip! : file.body
  if (isCompressed) told['Content-Encoding'] = 'gzip'
  told['Content-Type'] = file.mimeType
  told['Content-Length'] = String(body.length)
  return c.req.method === 'HEAD' ? c.body(null, 200, told) : c.body(body, 200, told)
}

/** Routes of the pages, and of the files that they and the pages of others load. */
export const pageRoutes = ({ platform }: Deps) => {
  const find = async (name: string): Promise<BrowserFile> => {
    const file = (await platform.browserFiles()).get(name)
    if (!file) throw new AppError('not_found', 'There is no such file', { details: { object: 'path' } })
    return file
  }
  const app = new Hono<AppEnv>()
  for (const [path, name] of Object.entries(pages))
    app.get(path, async (c) =>
      send(c, await find(name), name === 'capture.html' ? captureHeaders : pageHeaders),
    )
  return app
    .get('/guide/:page', async (c) => send(c, await find(`guide/${c.req.param('page')}.html`), pageHeaders))
    .get('/client/:file', async (c) => send(c, await find(`client/${c.req.param('file')}`), sharedHeaders))
    .get('/samples/:file', async (c) => send(c, await find(`samples/${c.req.param('file')}`), sharedHeaders))
    .get('/pages/:page/:file', async (c) => {
      const { page, file } = c.req.param()
      return send(c, await find(`pages/${page}/${file}`), {})
    })
}
