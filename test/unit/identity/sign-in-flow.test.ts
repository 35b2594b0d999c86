import { describe, expect, it } from 'vitest'
import { SignInFlows } from '../../../src/identity/sign-in-flow.ts'

const nowMs = 1_700_000_000_000
const flow = { state: 's', nonce: 'n', codeVerifier: 'v', redirect: 'https://vivace.example/console' }
const flows = new SignInFlows(new Uint8Array(32).fill(1))

describe('what binds a sign-in to its answer', () => {
  it('is opened for ten minutes', async () => {
    const sealed = await flows.seal(flow, nowMs)
    expect(await flows.open(sealed, nowMs + 599_000)).toMatchObject(flow)
    expect(await flows.open(sealed, nowMs + 601_000)).toBeNull()
  })

  it('is of one key, and unchanged', async () => {
    const sealed = await flows.seal(flow, nowMs)
    expect(await new SignInFlows(new Uint8Array(32)).open(sealed, nowMs)).toBeNull()
    const parts = sealed.split('.')
    parts[3] = `${parts[3]!.startsWith('A') ? 'B' : 'A'}${parts[3]!.slice(1)}`
    for (const text of [parts.join('.'), '', 'x', '....', sealed.slice(1)])
      expect(await flows.open(text, nowMs)).toBeNull()
  })
})
