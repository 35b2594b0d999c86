/** One exchange with the server. */
import { NetworkError } from './errors.ts'
import { reasonOf } from './retry.ts'

/** Bytes of the body that have been sent. */
export interface Progress {
  loaded: number
  total: number
}

export interface Outgoing {
  method: string
  url: string
  headers: Record<string, string>
  body: BodyInit | null
  signal: AbortSignal | undefined
  onProgress: ((progress: Progress) => void) | undefined
}

export interface Incoming {
  status: number
  header(name: string): string | null
  text(): Promise<string>
  blob(): Promise<Blob>
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Turns what a runtime throws for a broken connection into our error. */
async function guard<T>(signal: AbortSignal | undefined, step: () => Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (cause) {
    if (signal?.aborted) throw reasonOf(signal)
    throw new NetworkError('The server cannot be reached', { cause })
  }
}

async function exchangeByFetch(fetch: Fetch, outgoing: Outgoing): Promise<Incoming> {
  const { method, url, headers, body, signal } = outgoing
  const response = await guard(signal, () =>
    fetch(url, { method, headers, ...(body === null ? {} : { body }), ...(signal ? { signal } : {}) }),
  )
  return {
    status: response.status,
    header: (name) => response.headers.get(name),
    // The connection may break within the answer.
    text: () => guard(signal, () => response.text()),
    blob: () => guard(signal, () => response.blob()),
  }
}

/** Only this older interface of browsers tells how much of a body has been sent. */
function exchangeByRequest({ method, url, headers, body, signal, onProgress }: Outgoing): Promise<Incoming> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const abort = () => request.abort()
    request.open(method, url)
    request.responseType = 'blob'
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.upload.onprogress = ({ loaded, total }) => onProgress?.({ loaded, total })
    request.onload = () => {
      const blob = request.response as Blob
      resolve({
        status: request.status,
        header: (name) => request.getResponseHeader(name),
        text: () => blob.text(),
        blob: async () => blob,
      })
    }
    request.onerror = () => reject(new NetworkError('The server cannot be reached'))
    request.onabort = () => reject(reasonOf(signal))
    request.onloadend = () => signal?.removeEventListener('abort', abort)
    if (signal?.aborted) return reject(reasonOf(signal))
    signal?.addEventListener('abort', abort)
    request.send(body as XMLHttpRequestBodyInit | null)
  })
}

/**
 * Sends a request and waits for the head of the answer.
 * @throws {NetworkError} if no answer comes; the reason of the signal if it aborts
 */
export function exchange(fetch: Fetch, outgoing: Outgoing): Promise<Incoming> {
  // React Native has this interface, but its blobs cannot be read.
  const isBrowser = typeof XMLHttpRequest === 'function' && typeof Blob.prototype.text === 'function'
  const canTell = isBrowser && outgoing.onProgress && outgoing.body !== null
  return canTell ? exchangeByRequest(outgoing) : exchangeByFetch(fetch, outgoing)
}
