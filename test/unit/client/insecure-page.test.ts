/** Pages without HTTPS have no camera, but they can send files. Their `crypto` has random values alone. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createClient } from '../../../client/call.ts'
import { openCaptureSession } from '../../../client/capture/capture-session.ts'
import { randomId } from '../../../client/capture/random-id.ts'

const { getRandomValues } = crypto

const makeServer = () => {
  const calls: string[] = []
  const client = createClient({
    url: 'http://liveness.example',
    fetch: async (url) => {
      calls.push(new URL(url).pathname)
      return Response.json({ container_analysis_enabled: true, keys: [], session_token: 'a.e30.b' })
    },
  })
  return { client, calls }
}

afterEach(() => vi.unstubAllGlobals())

describe('a page without HTTPS', () => {
  it('sends a form, since it cannot seal', async () => {
    vi.stubGlobal('crypto', { getRandomValues: getRandomValues.bind(crypto) })
    const { client, calls } = makeServer()
    expect(await openCaptureSession(client, 'auto', null)).toBeNull()
    expect(calls).toEqual([])
    // Who asks for a sealed capture gets no other one.
    expect(await openCaptureSession(client, 'always', null)).toMatchObject({ token: 'a.e30.b' })
    expect(await openCaptureSession(client, 'auto', 'c.e30.d')).toMatchObject({ token: 'c.e30.d' })
  })

  it('names its deliveries as other pages do', () => {
    vi.stubGlobal('crypto', { getRandomValues: getRandomValues.bind(crypto) })
    const [one, two] = [randomId(), randomId()]
    expect(one).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(two).not.toBe(one)
  })
})
