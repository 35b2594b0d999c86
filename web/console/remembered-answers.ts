/** Answers that are asked for again and again: the server says when they are still the same, and sends nothing. */
import type { Fetch } from '../../client/transport.ts'

interface Remembered {
  tag: string
  text: string
}

/** A few views, each with its list. */
const answersMax = 12

/**
 * Wraps `fetch` for GET calls of JSON.
 * @returns the wrapped function, and one that forgets everything: when somebody else signs in
 */
export function rememberAnswers(send: Fetch): { fetch: Fetch; forget: () => void } {
  const answers = new Map<string, Remembered>()
  const remember = (url: string, answer: Remembered): void => {
    // What was used last comes last.
    answers.delete(url)
    answers.set(url, answer)
    const [oldest] = answers.keys()
    if (answers.size > answersMax) answers.delete(oldest!)
  }
  const fetch: Fetch = async (url, init) => {
    if (init.method !== 'GET') return send(url, init)
    const known = answers.get(url)
    const headers = new Headers(init.headers)
    if (known) headers.set('If-None-Match', known.tag)
    const response = await send(url, { ...init, headers })
    if (known && response.status === 304) {
      await response.text()
      remember(url, known)
      return new Response(known.text, { headers: { 'Content-Type': 'application/json' } })
    }
    const tag = response.headers.get('ETag')
    if (!response.ok || tag === null || !/\bjson\b/.test(response.headers.get('Content-Type') ?? ''))
      return response
    const text = await response.text()
    remember(url, { tag, text })
    return new Response(text, { status: response.status, headers: response.headers })
  }
  return { fetch, forget: () => answers.clear() }
}
