/** Calls of the public API. */
import { exchange, type Incoming, type Progress } from '../../client/transport.ts'
import { fileOption, textOption } from '../curl.ts'
import {
  type Analysis,
  analysisOf,
  type CheckAnswer,
  type Folder,
  idTag,
  type LiteMatch,
  type Medium,
} from './answer.ts'
import { type Text, t } from './language.ts'
import { refusedSample } from './refused-sample.ts'

export interface Submission {
  selfie: File
  idPhoto: File | null
}

/** A call that the service refused, or that did not reach it. */
export class Refusal extends Error {
  readonly kind: 'refused' | 'sign_in' | 'unreachable' | 'busy'
  /** The member or part that the refusal is about; `null` if it names none. */
  readonly place: string | null
  /** Of Lite; `null` for other refusals. */
  readonly code: string | null

  constructor(
    kind: Refusal['kind'],
    message: string,
    { place = null, code = null }: { place?: string | null; code?: string | null } = {},
  ) {
    super(message)
    this.kind = kind
    this.place = place
    this.code = code
  }
}

/** Names of parts and samples. */
const placeNames: Readonly<Record<string, Text>> = {
  selfie: 'Selfie',
  sample_1: 'Selfie',
  id_photo: 'ID',
  sample_2: 'ID',
}

/** Says in which picture, and why. */
export function describeRefusal({ message, place }: Refusal): string {
  const name = placeNames[place ?? '']
  return name ? `${t(name)}: ${message}` : message
}

const instantPath = '/api/instant/folders/'
const liteLivenessPath = '/v1/face/liveness/detect'
const liteMatchPath = '/v1/face/pattern/extract_and_compare'
const tokenHeader = 'X-Forensic-Access-Token'

/** Whether a header can carry it. */
export const isToken = (text: string): boolean => /^[\x21-\x7e]+$/.test(text)

export const isClip = ({ type, name }: File): boolean =>
  type.startsWith('video/') || /\.(mp4|mov|webm|mkv|avi|3gp|zip)$/i.test(name)

/** What the page asks for. Best shots are asked for only where the browser may be unable to show the clip itself. */
function makePayload({ selfie, idPhoto }: Submission) {
  const clip = isClip(selfie)
  return {
    'media:tags': {
      selfie: [clip ? 'video_selfie_blank' : 'photo_selfie'],
      ...(idPhoto ? { id_photo: [idTag] } : {}),
    },
    analyses: [
      { type: 'quality', params: { extract_best_shot: clip } },
      ...(idPhoto ? [{ type: 'biometry' }] : []),
    ],
    detail: true,
  }
}

/** Long enough for a clip that waits behind others, and for a slow connection to send it. */
const answerMaxMs = 300_000
const bytesPerMsMin = 20

/** @returns the object of a text; `null` if it has none, such as a proxy's page */
function readObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}

/** A signal that aborts with one of others. Browsers of 2023 have no `AbortSignal.any`. */
function anyOf(...signals: readonly AbortSignal[]): AbortSignal {
  const any = new AbortController()
  for (const signal of signals) {
    const follow = () => any.abort(signal.reason)
    if (signal.aborted) follow()
    else signal.addEventListener('abort', follow, { once: true, signal: any.signal })
  }
  return any.signal
}

interface Sent {
  method: string
  body?: BodyInit
  headers?: Record<string, string>
  /** Bytes of the files in the body. */
  bytes?: number
  /** Ends the call. */
  stop?: AbortSignal
  /** Told how much of the body has been sent. */
  onProgress?: ((progress: Progress) => void) | undefined
}

const plainFetch = (path: string, init: RequestInit): Promise<Response> =>
  fetch(path, { ...init, credentials: 'omit', cache: 'no-store' })

/** A refusal of the full service, or of Lite. */
interface Refused {
  error_message?: string
  message?: string
  details?: { key_path?: string } | null
  code?: string
}

/** The name of the part, which Lite has at the end of its message. */
const partName = / \((\w+)\)$/

/** @throws {Refusal}, or the reason of `stop` */
async function request<T extends object>(path: string, sent: Sent): Promise<T> {
  const { method, body: content = null, headers = {}, bytes = 0, stop, onProgress } = sent
  const waitMs = answerMaxMs + Math.round(bytes / bytesPerMsMin)
  let response: Incoming
  let text: string
  try {
    const late = AbortSignal.timeout(waitMs)
    const signal = stop ? anyOf(stop, late) : late
    const outgoing = { method, url: path, headers, body: content, signal, onProgress }
    response = await exchange(plainFetch, outgoing)
    text = await response.text()
  } catch (error) {
    stop?.throwIfAborted()
    const isLate = error instanceof Error && error.name === 'TimeoutError'
    throw new Refusal(
      'unreachable',
      isLate
        ? t('The server has not answered within {minutes} minutes. Try again later.', {
            minutes: Math.round(waitMs / 60_000),
          })
        : t('The server does not answer. Check that it is running, then try again.'),
    )
  }
  const body = readObject(text)
  if (response.status < 300 && body) return body as T
  const { error_message, message: said, details, code }: Refused = body ?? {}
  const place = details?.key_path ?? (said && partName.exec(said)?.[1]) ?? null
  const message =
    error_message ??
    said?.replace(partName, '') ??
    (body
      ? t('The server answered with status {status}.', { status: response.status })
      : t('The server answered with status {status}, and no JSON.', { status: response.status }))
  if (response.status === 401 || response.status === 403) throw new Refusal('sign_in', message, { place })
  if (response.status === 503 || response.status === 429) {
    const seconds = response.header('Retry-After')
    throw new Refusal(
      'busy',
      seconds === null
        ? t('The server is busy. Try again in a moment.')
        : t('The server is busy. Try again in {seconds} s.', { seconds }),
    )
  }
  throw new Refusal('refused', message, { place, code: code ?? null })
}

export interface Config {
  accepted_types: readonly string[]
  /** Whether Instant, which alone reads documents, needs a token. */
  token_required: boolean
  /** Whether this page needs none. */
  pages_open: boolean
  documents_analysis_enabled: boolean
  sandbox: boolean
}

let config: Promise<Config> | null = null

/** Asked once. @throws {Refusal} */
export async function readConfig(): Promise<Config> {
  config ??= request<Config>('/api/config', { method: 'GET' })
  try {
    return await config
  } catch (error) {
    config = null
    throw error
  }
}

const withoutPictures = (key: string, value: unknown): unknown =>
  key === 'image_b64' && typeof value === 'string' ? '…' : value

function formOf(submission: Submission, payload: object): FormData {
  const form = new FormData()
  form.append('payload', JSON.stringify(payload))
  form.append('selfie', submission.selfie)
  if (submission.idPhoto) form.append('id_photo', submission.idPhoto)
  return form
}

const sizeOf = ({ selfie, idPhoto }: Submission): number => selfie.size + (idPhoto?.size ?? 0)

const headersOf = (token: string | null): Record<string, string> =>
  token === null ? {} : { [tokenHeader]: token }

async function checkInstant(
  submission: Submission,
  token: string | null,
  stop: AbortSignal,
  onProgress: Sent['onProgress'],
): Promise<CheckAnswer> {
  const startMs = performance.now()
  const folder = await request<Folder>(instantPath, {
    method: 'POST',
    body: formOf(submission, makePayload(submission)),
    headers: headersOf(token),
    bytes: sizeOf(submission),
    stop,
    onProgress,
  })
  const totalMs = performance.now() - startMs
  return {
    service: 'instant',
    folder,
    text: JSON.stringify(folder, withoutPictures, 2),
    match: null,
    totalMs,
  }
}

interface LiteAnswer<T> {
  /** `null` for a refused sample. */
  answer: T | null
  refused: Analysis | null
  /** What Lite said. */
  said: object
}

/** Asks Lite. That it refuses a sample is an answer, too. */
async function askLite<T extends object>(
  path: string,
  type: string,
  media: readonly Medium[],
  sent: Omit<Sent, 'method'>,
): Promise<LiteAnswer<T>> {
  try {
    const answer = await request<T>(path, { method: 'POST', ...sent })
    return { answer, refused: null, said: answer }
  } catch (error) {
    const refused = error instanceof Refusal ? refusedSample(type, error, media) : null
    if (!refused) throw error
    const { code, message } = error as Refusal
    return { answer: null, refused, said: { code, message } }
  }
}

const medium = (name: string, tag: string): Medium => ({
  media_id: name,
  tags: [tag],
  technical_meta_data: {},
})

async function matchLite(
  { selfie, idPhoto }: Submission,
  stop: AbortSignal,
): Promise<LiteAnswer<NonNullable<CheckAnswer['match']>> | null> {
  if (!idPhoto) return null
  const undecided = (message: string) => ({ answer: { message }, refused: null, said: { message } })
  if (isClip(selfie)) return undecided(t('Sign in to compare a clip with a photo.'))
  const body = new FormData()
  body.append('sample_1', selfie)
  body.append('sample_2', idPhoto)
  const media = [medium('sample_1', 'photo_selfie'), medium('sample_2', idTag)]
  const bytes = sizeOf({ selfie, idPhoto })
  try {
    return await askLite<LiteMatch>(liteMatchPath, 'BIOMETRY', media, { body, bytes, stop })
  } catch (error) {
    if (error instanceof Refusal && error.kind === 'refused') return undecided(describeRefusal(error))
    throw error
  }
}

/** Lite needs no token by default. It judges liveness in one call and compares photos in another. */
async function checkLite(
  submission: Submission,
  stop: AbortSignal,
  onProgress: Sent['onProgress'],
): Promise<CheckAnswer> {
  const startMs = performance.now()
  const alone = { selfie: submission.selfie, idPhoto: null }
  const body = formOf(alone, makePayload(alone))
  const media = [medium('selfie', 'photo_selfie')]
  const bytes = sizeOf(alone)
  const liveness = await askLite<Folder>(liteLivenessPath, 'QUALITY', media, {
    body,
    bytes,
    stop,
    onProgress,
  })
  const match = await matchLite(submission, stop)
  const totalMs = performance.now() - startMs
  const refused = [liveness.refused, match?.refused ?? null].filter((analysis) => analysis !== null)
  const folder = {
    media: liveness.answer?.media ?? [],
    analyses: [...(liveness.answer?.analyses ?? []), ...refused],
  }
  const said = match ? { liveness: liveness.said, match: match.said } : liveness.said
  return {
    service: 'lite',
    folder,
    text: JSON.stringify(said, withoutPictures, 2),
    match: match?.answer ?? null,
    totalMs,
  }
}

/**
 * Checks a selfie: with Instant, or, where that needs a token and nobody is signed in, with Lite. Lite of a sandbox knows no
 * outcomes.
 * @param onProgress told how much of the selfie has been sent
 * @throws {Refusal} `sign_in` if both need a token; the reason of `stop` if that ends the check
 */
export async function check(
  submission: Submission,
  token: string | null,
  stop: AbortSignal,
  onProgress?: Sent['onProgress'],
): Promise<CheckAnswer> {
  if (token === null) {
    const { pages_open, sandbox } = await readConfig()
    if (!pages_open && !sandbox) return checkLite(submission, stop, onProgress)
  }
  return checkInstant(submission, token, stop, onProgress)
}

/**
 * What the ID says, if it is a document.
 * @throws {Refusal} also where the server reads none, or not for this caller; the reason of `stop` if that ends the call
 */
export async function readDocument(
  idPhoto: File,
  token: string | null,
  stop: AbortSignal,
): Promise<Analysis | null> {
  const form = new FormData()
  const payload = { 'media:tags': { id_photo: [idTag] }, analyses: [{ type: 'documents' }] }
  form.append('payload', JSON.stringify(payload))
  form.append('id_photo', idPhoto)
  const headers = headersOf(token)
  const bytes = idPhoto.size
  const folder = await request<Folder>(instantPath, { method: 'POST', body: form, headers, bytes, stop })
  return analysisOf(folder, 'DOCUMENTS')
}

/** A picture of the server, as if somebody had chosen it. A sandbox reads the outcome from its name. @throws {Refusal} */
export async function fetchSample(name: string): Promise<File> {
  const problem = (text: string) => new Refusal('unreachable', text)
  let response: Response
  try {
    response = await fetch(`/samples/${name}.png`, { credentials: 'omit' })
    if (response.ok) return new File([await response.blob()], `${name}.png`, { type: 'image/png' })
  } catch {
    throw problem(t('The server does not answer. Check that it is running, then try again.'))
  }
  throw problem(t('The server answered with status {status}.', { status: response.status }))
}

export const codePlace = 'credentials.code'

const signInPath = '/api/authorize/auth'

const usersMaxMs = 10_000

/** Whether the server has users. One that stores nothing has none: nobody can sign in there. */
export async function hasUsers(): Promise<boolean> {
  try {
    // Another method than its own: 405 where the path exists, and no failed attempt to sign in.
    const signal = AbortSignal.timeout(usersMaxMs)
    return (await fetch(signInPath, { credentials: 'omit', cache: 'no-store', signal })).status !== 404
  } catch {
    return true
  }
}

/**
 * @param code of the authenticator app; empty for none
 * @throws {Refusal} with the service's message for wrong credentials, whose place is `codePlace` if the account asks for a code
 */
export async function signIn(email: string, password: string, code: string): Promise<string> {
  const body = JSON.stringify({ credentials: { email, password, ...(code === '' ? {} : { code }) } })
  return (await request<{ access_token: string }>(signInPath, { method: 'POST', body })).access_token
}

/** Ends a session. Without an answer it ends by itself. */
export function signOut(token: string): void {
  const headers = { [tokenHeader]: token }
  fetch('/api/authorize/logout', { method: 'POST', headers }).catch(() => {})
}

/** The same check as a command. */
export function toCurl(
  submission: Submission,
  { service }: Pick<CheckAnswer, 'service'>,
  hasToken: boolean,
): string {
  const { selfie, idPhoto } = submission
  const address = (path: string) => `${location.origin}${path}`
  const file = (name: string, { name: fileName }: File) => fileOption(name, fileName)
  const command = (...parts: string[]) => parts.join(' \\\n  ')
  if (service === 'instant') {
    return command(
      `curl ${address(instantPath)}`,
      ...(hasToken ? [`-H "${tokenHeader}: $TOKEN"`] : []),
      textOption('payload', JSON.stringify(makePayload(submission))),
      file('selfie', selfie),
      ...(idPhoto ? [file('id_photo', idPhoto)] : []),
    )
  }
  const payload = makePayload({ selfie, idPhoto: null })
  const liveness = command(
    `curl ${address(liteLivenessPath)}`,
    textOption('payload', JSON.stringify(payload)),
    file('selfie', selfie),
  )
  if (!idPhoto) return liveness
  const match = command(`curl ${address(liteMatchPath)}`, file('sample_1', selfie), file('sample_2', idPhoto))
  return `${liveness}\n\n${match}`
}
