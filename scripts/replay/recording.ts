/** Recordings in the HTTP Archive format (HAR 1.2), as browsers and proxies export them. */
import { readdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'

/** A recording that cannot be read; the message names the file. */
class RecordingError extends Error {}

interface HarParam {
  name: string
  value?: string
  fileName?: string
  contentType?: string
  /** `base64`: not part of HAR 1.2, written by some recorders. */
  encoding?: string
}

interface HarEntry {
  request: {
    method: string
    url: string
    postData?: { mimeType?: string; text?: string; encoding?: string; params?: HarParam[] }
  }
  response: { status: number; content?: { text?: string; encoding?: string } }
}

/** A recorded call. */
export interface RecordedCall {
  /** File and number of the entry, from 1 on. */
  place: string
  /** Path of the API without a trailing slash, such as `/api/folders`. */
  path: string
  method: string
  /** The body as it can be sent; `null` if the recording lacks it. */
  body: FormData | string | Blob | null
  /** Why there is no body. */
  lack: string | null
  status: number
  /** Parsed body of the answer; `null` if it is no JSON. */
  answer: unknown
}

const decode = (text: string, encoding: string | undefined): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.from(text, encoding === 'base64' ? 'base64' : 'utf8'))

const readIfThere = (file: string): Promise<Buffer | null> => readFile(file).catch(() => null)

/** Where the media of an entry are that the recorder has left out. */
interface MediaPlace {
  /** Of this entry alone. */
  own: string
  /** Of the whole recording. */
  shared: string
}

/** The last part of a name that the recorded caller chose. */
const baseName = (name: string): string => name.split(/[/\\]/).at(-1) || 'body'

async function findMedium(name: string, folder: string): Promise<Uint8Array<ArrayBuffer> | null> {
  const base = baseName(name)
  if (base === '.' || base === '..') return null
  const bytes = await readIfThere(path.join(folder, base))
  return bytes && new Uint8Array(bytes)
}

/** Recorders leave files out, or keep them as text and replace bytes that are no text. Base64 is exact. */
const isLost = (bytes: Uint8Array, encoding: string | undefined): boolean =>
  bytes.length === 0 ||
  (encoding !== 'base64' && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes('\u{fffd}'))

class LackingMedium extends Error {}

interface RecordedMedium {
  /** What it is in the request. Its name is not told: it may be that of a person. */
  what: string
  /** The name of its file. */
  name: string
  bytes: Uint8Array<ArrayBuffer> | null
  encoding: string | undefined
}

/**
 * A file of this entry counts more than what was recorded, and that more than a file that any entry may mean.
 * @throws {LackingMedium} if its bytes are nowhere
 */
async function readMedium({ what, name, bytes, encoding }: RecordedMedium, { own, shared }: MediaPlace) {
  const recorded = bytes && !isLost(bytes, encoding) ? bytes : null
  const found = (await findMedium(name, own)) ?? recorded ?? (await findMedium(name, shared))
  if (found) return found
  throw new LackingMedium(
    `the recording lacks ${what}: put it into ${own} (or beside the recording) under its recorded name`,
  )
}

const fileOf = (field: string): string => `the file of ${field}`

async function formOfParams(params: readonly HarParam[], place: MediaPlace): Promise<FormData> {
  const form = new FormData()
  for (const { name, value, fileName, contentType, encoding } of params) {
    if (fileName === undefined) {
      form.append(name, value ?? '')
      continue
    }
    const bytes = value === undefined ? null : decode(value, encoding)
    const medium = await readMedium({ what: fileOf(name), name: fileName, bytes, encoding }, place)
    form.append(name, new Blob([medium], { type: contentType ?? '' }), baseName(fileName))
  }
  return form
}

async function formOfBytes(
  body: Uint8Array<ArrayBuffer>,
  encoding: string | undefined,
  type: string,
  place: MediaPlace,
): Promise<FormData> {
  const recorded = await new Response(body, { headers: { 'Content-Type': type } }).formData()
  const form = new FormData()
  for (const [name, value] of recorded) {
    if (typeof value === 'string') form.append(name, value)
    else {
      const bytes = new Uint8Array(await value.arrayBuffer())
      const medium = await readMedium({ what: fileOf(name), name: value.name, bytes, encoding }, place)
      form.append(name, new Blob([medium], { type: value.type }), baseName(value.name))
    }
  }
  return form
}

const isText = (type: string): boolean => /json|text|x-www-form-urlencoded/i.test(type)

async function readBody(postData: HarEntry['request']['postData'], place: MediaPlace) {
  const { mimeType: type = '', text = '', encoding, params = [] } = postData ?? {}
  if (/^multipart\/form-data/i.test(type))
    return params.length > 0
      ? formOfParams(params, place)
      : formOfBytes(decode(text, encoding), encoding, type, place).catch((error: unknown) => {
          if (error instanceof LackingMedium) throw error
          throw new LackingMedium('the recorded form cannot be read')
        })
  const bytes = decode(text, encoding)
  if (isText(type)) return Buffer.from(bytes).toString('utf8')
  return new Blob([await readMedium({ what: 'the file "body"', name: 'body', bytes, encoding }, place)], {
    type,
  })
}

function parseAnswer({ content }: HarEntry['response']): unknown {
  try {
    return JSON.parse(Buffer.from(decode(content?.text ?? '', content?.encoding)).toString('utf8'))
  } catch {
    return null
  }
}

/** The path of an address from the first part that belongs to the API on. */
function apiPath(url: string): string {
  const { pathname } = new URL(url)
  return (/\/(?:api|v1)\/.*$/.exec(pathname)?.[0] ?? pathname).replace(/\/+$/, '')
}

async function readEntry(entry: HarEntry, place: string, media: MediaPlace): Promise<RecordedCall> {
  const { request, response } = entry
  const call = {
    place,
    path: apiPath(request.url),
    method: request.method.toUpperCase(),
    status: response.status,
    answer: parseAnswer(response),
  }
  if (call.method !== 'POST') return { ...call, body: null, lack: null }
  try {
    return { ...call, body: await readBody(request.postData, media), lack: null }
  } catch (error) {
    if (!(error instanceof LackingMedium)) throw error
    return { ...call, body: null, lack: error.message }
  }
}

/** @throws {RecordingError} if the file is no archive */
async function readArchive(file: string): Promise<RecordedCall[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new RecordingError(`${file} cannot be read (${error.code})`)
  })
  const media = { shared: path.dirname(file), folder: file.replace(/\.har$/i, '') }
  try {
    const { entries } = (JSON.parse(text) as { log: { entries: HarEntry[] } }).log
    const calls: RecordedCall[] = []
    for (const [index, entry] of entries.entries()) {
      const own = path.join(media.folder, String(index + 1))
      calls.push(
        await readEntry(entry, `${path.basename(file)} #${index + 1}`, { own, shared: media.shared }),
      )
    }
    return calls
  } catch (cause) {
    throw new RecordingError(`${file} is no HTTP archive (HAR 1.2): export it as HAR with content`, { cause })
  }
}

/**
 * Reads a recording, or all recordings (`*.har`) of a folder.
 * @throws {RecordingError} if there is none
 */
export async function readRecordings(place: string): Promise<RecordedCall[]> {
  const facts = await stat(place).catch(() => null)
  if (!facts?.isDirectory()) return readArchive(place)
  const names = (await readdir(place)).filter((name) => /\.har$/i.test(name)).sort()
  if (names.length === 0) throw new RecordingError(`There are no recordings (*.har) in ${place}`)
  return (await Promise.all(names.map((name) => readArchive(path.join(place, name))))).flat()
}
