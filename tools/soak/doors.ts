/** All routes that accept pictures or templates. */

export type Send = (url: string, bytes: Uint8Array) => Promise<Response>

const post = (url: string, path: string, body: FormData | Uint8Array, type?: string): Promise<Response> =>
  fetch(`${url}${path}`, {
    method: 'POST',
    body: body instanceof FormData ? body : new Uint8Array(body),
    ...(type ? { headers: { 'Content-Type': type } } : {}),
  })

function form(
  files: readonly (readonly [name: string, bytes: Uint8Array, type: string])[],
  payload?: unknown,
) {
  const data = new FormData()
  for (const [name, bytes, type] of files)
    data.append(name, new Blob([new Uint8Array(bytes)], { type }), `${name}.bin`)
  if (payload !== undefined) data.append('payload', JSON.stringify(payload))
  return data
}

const jpeg = 'image/jpeg'
const binary = 'application/octet-stream'
const both = { analyses: [{ type: 'quality' }, { type: 'biometry' }] }
const quality = { analyses: [{ type: 'quality' }] }

/** The routes by name; each gets one file, and a good photo if it needs two. */
export function doors(good: Uint8Array): Record<string, Send> {
  return {
    instant: (url, bytes) =>
      post(
        url,
        '/api/instant/folders/',
        form(
          [
            ['selfie', bytes, jpeg],
            ['other', good, jpeg],
          ],
          both,
        ),
      ),
    detect: (url, bytes) => post(url, '/v1/face/liveness/detect', bytes, jpeg),
    'detect in parts': (url, bytes) =>
      post(url, '/v1/face/liveness/detect', form([['photo', bytes, jpeg]], quality)),
    extract: (url, bytes) => post(url, '/v1/face/pattern/extract', bytes, 'image/png'),
    'extract and compare': (url, bytes) =>
      post(
        url,
        '/v1/face/pattern/extract_and_compare',
        form([
          ['sample_1', bytes, jpeg],
          ['sample_2', good, jpeg],
        ]),
      ),
    'extract and compare n': (url, bytes) =>
      post(
        url,
        '/v1/face/pattern/extract_and_compare_n',
        form([
          ['sample_1', good, jpeg],
          ['samples_n', bytes, jpeg],
        ]),
      ),
    verify: (url, bytes) =>
      post(
        url,
        '/v1/face/pattern/verify',
        form([
          ['sample', good, jpeg],
          ['bio_template', bytes, binary],
        ]),
      ),
    compare: (url, bytes) =>
      post(
        url,
        '/v1/face/pattern/compare',
        form([
          ['bio_feature', bytes, binary],
          ['bio_template', bytes, binary],
        ]),
      ),
  }
}
