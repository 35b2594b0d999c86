/** The requests of an enrolment to the server. */
import { pause } from '../../src/queue/timers.ts'

/** The server refuses all requests, or cannot be reached. */
export class ServerError extends Error {}

/** There is no answer to any request. */
export class UnreachableError extends ServerError {}

export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: answers have all shapes
  json: any
}

export interface Server {
  /** The signed-in user. */
  user: { type: string; companyId: string }
  /**
   * @param checkDone called after a request without an answer; returns the answer if the request took effect all the same
   * @throws {ServerError} if there is no answer after all retries
   */
  send(
    method: string,
    path: string,
    body?: FormData | object,
    checkDone?: () => Promise<Answer | null>,
  ): Promise<Answer>
}

/** Not part of the service: the answer stays the same. */
const notImplemented = 501
const triesMax = 20
const pauseMs = 1000

/**
 * Sends a request, up to twenty times while the server is busy or unreachable.
 * @throws {UnreachableError} if there is no answer
 * @throws {ServerError} if there is none but 429 and 5xx
 */
export async function call(
  url: string,
  init: RequestInit,
  checkDone: () => Promise<Answer | null> = async () => null,
): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const answer = await fetch(url, init).catch((error: Error) => error)
    const isAway = answer instanceof Error
    const isBusy =
      !isAway && (answer.status === 429 || answer.status >= 500) && answer.status !== notImplemented
    if (!isAway && !isBusy) {
      const json = answer.status === 204 ? null : await answer.json().catch(() => null)
      return { status: answer.status, json }
    }
    if (tries === triesMax)
      throw isAway
        ? new UnreachableError(
            `the server at ${new URL(url).origin} cannot be reached: start it, or name another one with --server`,
          )
        : new ServerError(`the server answers with ${answer.status} again and again`)
    await pause(pauseMs)
    const done = await checkDone()
    if (done) return done
  }
}

async function findToken(base: string, environment: NodeJS.ProcessEnv): Promise<string> {
  const { VIVACE_TOKEN, SVC_ADMIN_EMAIL: email, SVC_ADMIN_PASSWORD: password } = environment
  if (VIVACE_TOKEN) return VIVACE_TOKEN
  if (!email || !password)
    throw new ServerError('set VIVACE_TOKEN, or SVC_ADMIN_EMAIL and SVC_ADMIN_PASSWORD')
  const { status, json } = await call(`${base}/api/authorize/auth`, {
    method: 'POST',
    body: JSON.stringify({ credentials: { email, password } }),
  })
  const isOfCode = json?.details?.key_path === 'credentials.code'
  if (isOfCode) throw new ServerError('the account has a second factor: set VIVACE_TOKEN to a service token')
  if (status !== 200) throw new ServerError(`signing in failed: ${json?.error_message ?? status}`)
  return json.access_token as string
}

/** @throws {ServerError} if signing in fails */
export async function signIn(base: string, environment: NodeJS.ProcessEnv): Promise<Server> {
  const headers = { 'X-Forensic-Access-Token': await findToken(base, environment) }
  const send: Server['send'] = async (method, path, body, checkDone) => {
    const sent = body === undefined || body instanceof FormData ? body : JSON.stringify(body)
    const init = { method, headers, ...(sent === undefined ? {} : { body: sent }) }
    const answer = await call(`${base}${path}`, init, checkDone)
    if (answer.status === 401 || answer.status === 403)
      throw new ServerError(`the server does not let us: ${answer.json?.error_message ?? answer.status}`)
    if (method === 'GET' && (answer.status !== 200 || answer.json === null))
      throw new ServerError(`the server answers with ${answer.status}: is it the right address?`)
    return answer
  }
  const { json } = await send('GET', '/api/users/me')
  return { user: { type: json.user_type, companyId: json.company_id }, send }
}
