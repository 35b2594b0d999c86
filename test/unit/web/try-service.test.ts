import { afterEach, describe, expect, it, vi } from 'vitest'
import { check, isToken } from '../../../web/try/service.ts'

const never = new AbortController().signal
const submission = { selfie: new File(['a picture'], 'selfie.jpg', { type: 'image/jpeg' }), idPhoto: null }

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

const raise = (): never => {
  throw new TypeError('missing')
}

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

  it('ask a sandbox that needs a token to sign in: its Lite knows no outcomes', async () => {
    // The configuration is asked for once.
    vi.resetModules()
    const fresh = await import('../../../web/try/service.ts')
    vi.stubGlobal('fetch', async (path: string) => {
      if (path === '/api/config') return Response.json({ sandbox: true, pages_open: false })
      return Response.json({}, { status: path.startsWith('/api/instant/') ? 401 : 500 })
    })
    await expect(fresh.check(submission, null, never)).rejects.toMatchObject({ kind: 'sign_in' })
  })

  it('tell which picture Lite refuses, and how many faces it shows', async () => {
    const message = 'more than one person on the biometric sample: 4 faces (sample_2)'
    vi.stubGlobal('fetch', async (path: string) => {
      if (path === '/api/config') return Response.json({ accepted_types: [], pages_open: false })
      if (path.endsWith('/detect')) return Response.json({ media: [], analyses: [] })
      return Response.json({ code: 'BPE-003003', message }, { status: 400 })
    })
    const idPhoto = new File(['a group'], 'id.jpg', { type: 'image/jpeg' })
    const { folder, text } = await check({ ...submission, idPhoto }, null, never)
    const [{ source_media, technical_meta_data } = raise()] = folder.analyses
    const [reason = raise()] = technical_meta_data.reasons ?? []
    expect(reason.code).toBe('several_faces')
    expect(source_media.find(({ media_id }) => reason.media_ids.includes(media_id))?.tags).toEqual([
      'photo_id_front',
    ])
    expect(technical_meta_data.samples?.[0]?.faces).toBe(4)
    expect(text).toContain('BPE-003003')
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
