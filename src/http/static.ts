/** The `/static` routes: media, thumbnails, previews and frames of archives, by the links in the views. */
import { type Context, Hono } from 'hono'
import { AppError } from '../errors.ts'
import type { BlobFacts, BlobRange, OpenedBlob } from '../folders/file-service.ts'
import type { CallContext } from '../folders/received-medium.ts'
import { shotKinds } from '../records/medium.ts'
import { type ReportForm, reportFileName, reportPolicy } from '../records/report.ts'
import { uuidForm } from '../uuid.ts'
import type { AppEnv } from './app-env.ts'
import { describeEndpoint } from './describe-endpoint.ts'
import { namesTag } from './entity-tag.ts'

export interface StaticDeps {
  files: {
    open(key: string, range?: BlobRange, call?: CallContext): Promise<OpenedBlob | null>
    stat(key: string, call?: CallContext): Promise<BlobFacts | null>
  }
  /** Whose share of the work it is if a file has to be unpacked. */
  callOf(c: Context<AppEnv>): CallContext
  /**
   * Throws an `AppError` if the caller may not read the folder. `null` if the link alone is enough: its names are UUIDs,
   * which cannot be guessed.
   */
  mayRead: ((c: Context<AppEnv>, folderId: string) => Promise<void>) | null
}

const folderName = new RegExp(`^${uuidForm}$`)
const shots = `(?:${shotKinds.join('|')})(?:_thumb)?`
const kinds = ['thumb', 'preview', 'snapshot', shots, 'frame\\d{1,3}', 'report'].join('|')
const fileName = new RegExp(`^${uuidForm}(?:_(?:${kinds}))?\\.[a-z0-9]{1,8}$`)

type HeaderFields = Record<string, string>

/** The id of a report in the name of its file. */
const reportName = /^(.*)_report\.(pdf|html)$/

/** A report is given out under a name with the folder's id. Its HTML is of a company's making: it is saved, and does nothing. */
function reportHeaders(folder: string, file: string): HeaderFields {
  const [, id, form] = reportName.exec(file) ?? []
  if (id === undefined) return {}
  const name = reportFileName(folder, id, form as ReportForm)
  if (form === 'pdf') return { 'Content-Disposition': `inline; filename="${name}"` }
  return {
    'Content-Disposition': `attachment; filename="${name}"`,
    'Content-Security-Policy': `sandbox; ${reportPolicy}`,
  }
}

/** A cached copy would outlive the removal of personal data. */
const cacheControl = 'private, no-store'

const commonHeaders: HeaderFields = {
  'Accept-Ranges': 'bytes',
  'Content-Disposition': 'inline',
  'X-Content-Type-Options': 'nosniff',
}

/** Bodies up to this size are read before they are sent, since some runtimes send no length for a stream. */
const bytesAtOnceMax = 2 ** 20

/**
 * Parses a `Range` header (RFC 9110, 14.2).
 * @returns `null` if the header is to be ignored: missing, another unit, several ranges, or malformed
 */
export function parseRange(header: string | undefined, size: number): BlobRange | 'unsatisfiable' | null {
  const [, first, last] = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header ?? '') ?? []
  if (first === undefined || last === undefined || `${first}${last}` === '') return null
  if (first === '') {
    if (Number(last) === 0 || size === 0) return 'unsatisfiable'
    return { start: Math.max(0, size - Number(last)), end: size - 1 }
  }
  if (last !== '' && Number(last) < Number(first)) return null
  if (Number(first) >= size) return 'unsatisfiable'
  return { start: Number(first), end: last === '' ? size - 1 : Math.min(Number(last), size - 1) }
}

/** The range of a GET, if it applies: only if `If-Range` matches. */
function readRange(c: Context<AppEnv>, tag: string, size: number): ReturnType<typeof parseRange> {
  const condition = c.req.header('If-Range')
  if (condition !== undefined && condition !== tag) return null
  return parseRange(c.req.header('Range'), size)
}

/** Reads a body. Its errors pass as they are, which those of `Response` do not in all runtimes. */
async function readBody(body: ReadableStream<Uint8Array>, length: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(length)
  const reader = body.getReader()
  for (let at = 0; ; ) {
    const { done, value } = await reader.read()
    if (done && at === length) return bytes
    if (done || at + value.length > length) {
      await reader.cancel()
      throw new AppError('external_failed', 'A file does not have its size')
    }
    bytes.set(value, at)
    at += value.length
  }
}

/** Answers with a body of `length` bytes. */
async function send(
  c: Context<AppEnv>,
  status: 200 | 206,
  { body }: OpenedBlob,
  length: number,
  headers: HeaderFields,
): Promise<Response> {
  const told = { ...headers, 'Content-Length': String(length) }
  if (length > bytesAtOnceMax) return c.body(body, status, told)
  return c.body(await readBody(body, length), status, told)
}

/** A plain request for the file: it is opened without being looked up first. */
const wantsAll = ({ req }: Context<AppEnv>): boolean =>
  req.method === 'GET' && !req.header('Range') && !req.header('If-None-Match')

function answerPart(
  c: Context<AppEnv>,
  opened: OpenedBlob,
  { start, end }: BlobRange,
  headers: HeaderFields,
): Promise<Response> {
  const told = { ...headers, 'Content-Range': `bytes ${start}-${end}/${opened.size}` }
  return send(c, 206, opened, end - start + 1, told)
}

const description = describeEndpoint({
  tag: 'Files',
  summary: 'A picture, clip, thumbnail or preview, by the link in an answer; with range requests',
  access: 'instant',
  answers: {
    200: { text: 'The file', type: '*/*' },
    206: { text: 'A part of the file', type: '*/*' },
    304: 'The caller has the file',
    416: 'The range is outside of the file',
  },
})

function refuseMissing(): never {
  throw new AppError('not_found')
}

/** Routes below `/static`. The content of a blob never changes, so its name is its entity tag. */
export const staticRoutes = ({ files, callOf, mayRead }: StaticDeps) => {
  return new Hono<AppEnv>().get('/:folder/:file', description, async (c) => {
    const { folder, file } = c.req.param()
    if (!folderName.test(folder) || !fileName.test(file)) throw new AppError('not_found')
    await mayRead?.(c, folder)
    const key = `${folder}/${file}`
    const tag = `"${file}"`
    const open = async (range?: BlobRange): Promise<OpenedBlob> =>
      (await files.open(key, range, callOf(c))) ?? refuseMissing()
    const opened = wantsAll(c) ? await open() : null
    const { size, mimeType } = opened ?? (await files.stat(key, callOf(c))) ?? refuseMissing()
    if (namesTag(c.req.header('If-None-Match'), tag))
      return c.body(null, 304, { ETag: tag, 'Cache-Control': cacheControl })
    const headers = {
      ...commonHeaders,
      ...reportHeaders(folder, file),
      ETag: tag,
      'Cache-Control': cacheControl,
      'Content-Type': mimeType,
    }
    if (c.req.method === 'HEAD') return c.body(null, 200, { ...headers, 'Content-Length': String(size) })
    const range = readRange(c, tag, size)
    if (range === null) return send(c, 200, opened ?? (await open()), size, headers)
    if (range !== 'unsatisfiable') return answerPart(c, await open(range), range, headers)
    c.header('Content-Range', `bytes */${size}`)
    throw new AppError('range_unsatisfiable')
  })
}
