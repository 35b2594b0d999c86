import { afterEach, describe, expect, it, vi } from 'vitest'
import { check, isToken } from '../../../web/try/service.ts'

const never = new AbortController().signal
const submission = { selfie: new File(['a picture'], 'selfie.jpg', { type: 'image/jpeg' }), idPhoto: null }

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

/** A server that never answers, and a wait that is already over. */
function neverAnswer() {
  const waits: number[] = []
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    waits.push(ms)
    return AbortSignal.abort(new DOMException('late', 'TimeoutError'))
  })
  vi.stubGlobal('fetch', async (_: string, { signal }: { signal: AbortSignal }) => signal.throwIfAborted())
  return waits
}

describe('calls of the try page', () => {
  it('end after some minutes without an answer, later for large files', async () => {
    const waits = neverAnswer()
    const refusal = { kind: 'unreachable', message: expect.stringMatching(/not answered within 5 minutes/) }
    await expect(check(submission, 'token', never)).rejects.toMatchObject(refusal)
    const selfie = new File([new Uint8Array(30_000_000)], 'selfie.mp4', { type: 'video/mp4' })
    await expect(check({ ...submission, selfie }, 'token', never)).rejects.toMatchObject({
      kind: 'unreachable',
    })
    expect(waits).toEqual([300_000, 1_800_000])
  })

  it('end with their check, and say so', async () => {
    const reason = new Error('another file was chosen')
    const stop = new AbortController()
    vi.stubGlobal('fetch', async (_: string, { signal }: { signal: AbortSignal }) => {
      stop.abort(reason)
      signal.throwIfAborted()
    })
    await expect(check(submission, 'token', stop.signal)).rejects.toBe(reason)
  })

  it.each([
    [502, '<html>', 'The server answered with status 502, and no JSON.'],
    [200, '<html>', 'The server answered with status 200, and no JSON.'],
    [400, '{"error_message": "No picture."}', 'No picture.'],
    [400, '{}', 'The server answered with status 400.'],
  ])('tell why they were refused: %d %s', async (status, text, message) => {
    vi.stubGlobal('fetch', async () => new Response(text, { status }))
    await expect(check(submission, 'token', never)).rejects.toMatchObject({ kind: 'refused', message })
  })

  it.each([
    ['eyJhbGciOi.J9_-~', true],
    ['', false],
    ['two words', false],
    ['т\u043eken', false],
    ['a\nb', false],
    ['tok\u00e9n', false],
  ])('take %j as a token: %s', (text, isOne) => {
    expect(isToken(text)).toBe(isOne)
  })
})
