/** The calls of an enrolment to the server. */

/** The server refuses to work with us at all, or cannot be reached. */
export class ServerError extends Error {}

export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: answers have all shapes
  json: any
}

export type Server = (method: string, path: string, body?: FormData | object) => Promise<Answer>

const triesMax = 20
const pauseMs = 1000
const pause = () => new Promise((resolve) => setTimeout(resolve, pauseMs))

/** Sends a call; while the server is busy or away it is tried again, twenty times at most. */
async function call(url: string, init: RequestInit): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const answer = await fetch(url, init).catch((error: Error) => error)
    const isAway = answer instanceof Error
    if (!isAway && answer.status < 500 && answer.status !== 429) {
      const json = answer.status === 204 ? null : await answer.json().catch(() => null)
      return { status: answer.status, json }
    }
    if (tries === triesMax)
      throw new ServerError(
        isAway ? 'the server cannot be reached' : `the server answers with ${answer.status} again and again`,
      )
    await pause()
  }
}

/** @throws {ServerError} when the server does not let us in */
export async function signIn(base: string, environment: NodeJS.ProcessEnv): Promise<Server> {
  const { VIVACE_TOKEN, SVC_ADMIN_EMAIL: email, SVC_ADMIN_PASSWORD: password } = environment
  let token = VIVACE_TOKEN
  if (!token) {
    if (!email || !password)
      throw new ServerError('set VIVACE_TOKEN, or SVC_ADMIN_EMAIL and SVC_ADMIN_PASSWORD')
    const { status, json } = await call(`${base}/api/authorize/auth`, {
      method: 'POST',
      body: JSON.stringify({ credentials: { email, password } }),
    })
    if (status !== 200) throw new ServerError(`signing in failed: ${json?.error_message ?? status}`)
    token = json.access_token as string
  }
  const headers = { 'X-Forensic-Access-Token': token }
  return async (method, path, body) => {
    const sent = body === undefined || body instanceof FormData ? body : JSON.stringify(body)
    const answer = await call(`${base}${path}`, {
      method,
      headers,
      ...(sent === undefined ? {} : { body: sent }),
    })
    if (answer.status === 401 || answer.status === 403)
      throw new ServerError(`the server does not let us: ${answer.json?.error_message ?? answer.status}`)
    return answer
  }
}
