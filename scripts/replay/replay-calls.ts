/** Sends recorded calls to a server and compares the answers. */
import { type Answer, ServerError, call as send, UnreachableError } from '../enrol/server.ts'
import { type AnswerSummary, type Comparison, compareAnswers, summariseAnswer } from './compare-answers.ts'
import type { RecordedCall } from './recording.ts'

/** Calls that are analysed as they are, by the path that they are sent to. Instant gives the answer at once, and stores nothing. */
const replayed: Readonly<Record<string, string>> = {
  '/api/folders': '/api/instant/folders/',
  '/api/instant/folders': '/api/instant/folders/',
  '/v1/face/liveness/detect': '/v1/face/liveness/detect',
  '/v1/face/pattern/extract_and_compare': '/v1/face/pattern/extract_and_compare',
}

export type ReplayedCall = { place: string; path: string } & (
  | ({ outcome: Comparison['outcome'] } & Comparison)
  | { outcome: 'skipped'; reason: string }
)

/** Reads a folder, and not one of its media, analyses or reports, which name the folder too. */
const folderPath = /^\/api\/folders\/[^/]+$/

const hasVerdict = ({ verdicts }: AnswerSummary): boolean =>
  Object.keys(verdicts).some((name) => name !== 'answer')

/** The answer to a folder that was still analysed is in a later call of the recording. */
function finalAnswers(calls: readonly RecordedCall[]): Map<string, AnswerSummary> {
  const finals = new Map<string, AnswerSummary>()
  for (const { method, path, status, answer } of calls) {
    const id = (answer as { folder_id?: unknown } | null)?.folder_id
    if (method !== 'GET' || !folderPath.test(path) || status !== 200 || typeof id !== 'string') continue
    const summary = summariseAnswer(status, answer)
    if (!summary.isOpen && hasVerdict(summary)) finals.set(id, summary)
  }
  return finals
}

/** The answer that the recorded service gave in the end. */
function theirAnswer(
  { status, answer }: RecordedCall,
  finals: Map<string, AnswerSummary>,
): AnswerSummary | string {
  if (status >= 500 || status < 200) return `the recorded service answered with ${status}`
  if (status === 401 || status === 403 || status === 429)
    return `the recorded service refused the caller (${status})`
  const summary = summariseAnswer(status, answer)
  const id = (answer as { folder_id?: unknown } | null)?.folder_id
  const known = typeof id === 'string' ? finals.get(id) : undefined
  if (summary.isOpen) return known ?? 'the recording does not have the final answer'
  if (status < 400 && !hasVerdict(summary)) return 'the recorded answer has no verdict'
  return summary
}

/** A recorded address must not be told of our results. */
function withoutAddress(payload: string): string {
  try {
    const members = JSON.parse(payload) as unknown
    if (typeof members !== 'object' || members === null || !('resolution_endpoint' in members)) return payload
    const { resolution_endpoint: _, ...others } = members
    return JSON.stringify(others)
  } catch {
    return payload
  }
}

function toSend(body: FormData | string | Blob): FormData | string | Blob {
  if (typeof body === 'string') return withoutAddress(body)
  if (body instanceof FormData) {
    const payload = body.get('payload')
    if (typeof payload === 'string') body.set('payload', withoutAddress(payload))
  }
  return body
}

interface Target {
  /** Without a trailing slash. */
  url: string
  token: string | null
  tolerance: number
}

class Refused extends Error {}

const tokenAdvice = 'name a token of it with --token or VIVACE_TOKEN'

/**
 * Our answer, or why there is none.
 * @throws {Error} if the other calls have none either
 */
async function ourAnswer(url: string, init: RequestInit): Promise<Answer | string> {
  const answer = await send(url, init).catch((error: unknown) => {
    if (error instanceof ServerError && !(error instanceof UnreachableError)) return error.message
    throw error
  })
  if (typeof answer === 'string') return answer
  const { status, json } = answer
  if (status === 401)
    throw new Refused(`the server does not let us (${json?.error_message ?? status}): ${tokenAdvice}`)
  return status === 403 ? `the server does not let us do this (403): ${tokenAdvice}` : answer
}

/** Of the parts of a path only words of the API: others are identifiers. */
const withoutIdentifiers = (path: string): string =>
  path
    .split('/')
    .map((part) => (/^(?:[a-z_]*|v1)$/.test(part) ? part : '*'))
    .join('/')

async function replayCall(
  recorded: RecordedCall,
  { url, token, tolerance }: Target,
  finals: Map<string, AnswerSummary>,
): Promise<ReplayedCall> {
  const { place, method, body, lack } = recorded
  const path = withoutIdentifiers(recorded.path)
  const skip = (reason: string): ReplayedCall => ({ place, path, outcome: 'skipped', reason })
  const target = method === 'POST' ? replayed[recorded.path] : undefined
  if (target === undefined) return skip('not a call with media and analyses')
  const theirs = theirAnswer(recorded, finals)
  if (typeof theirs === 'string') return skip(theirs)
  if (body === null) return skip(lack ?? 'the recording lacks the body')
  if (body instanceof Blob && /octet-stream/.test(body.type))
    return skip('a container is sealed for its service')
  // Nothing of the recorded headers is sent: they have the credentials of another service.
  const headers: Record<string, string> = token === null ? {} : { 'X-Forensic-Access-Token': token }
  if (typeof body === 'string') headers['Content-Type'] = 'application/json'
  const ours = await ourAnswer(`${url}${target}`, { method: 'POST', headers, body: toSend(body) })
  if (typeof ours === 'string') return skip(ours)
  return { place, path, ...compareAnswers(theirs, summariseAnswer(ours.status, ours.json), tolerance) }
}

/**
 * Replays calls one after another. One that the server cannot answer is skipped.
 * @throws {Error} if the server cannot be reached, or refuses the token
 */
export async function replayCalls(
  calls: readonly RecordedCall[],
  target: Target,
  onProgress: (done: number, all: number) => void,
): Promise<ReplayedCall[]> {
  const finals = finalAnswers(calls)
  // Calls that read are no work, and would only be noise in the result.
  const posted = calls.filter(({ method, path }) => method === 'POST' && !/\/authorize\//.test(path))
  const results: ReplayedCall[] = []
  for (const recorded of posted) {
    results.push(await replayCall(recorded, target, finals))
    onProgress(results.length, posted.length)
  }
  return results
}
