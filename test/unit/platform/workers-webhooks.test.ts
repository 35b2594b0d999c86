import { afterEach, describe, expect, it, vi } from 'vitest'
import { resolveByHttps } from '../../../src/platform/workers-webhooks.ts'

/** Answers queries for both kinds of addresses. */
const answerWith = (answers: { A: object | number; AAAA: object | number }) =>
  vi.stubGlobal('fetch', async (address: string) => {
    const answer = answers[new URL(address).searchParams.get('type') as 'A' | 'AAAA']
    return typeof answer === 'number' ? new Response('', { status: answer }) : Response.json(answer)
  })

const found = { Status: 0, Answer: [{ type: 1, data: '8.8.4.4' }] }
const [none, missing, failing] = [{ Status: 0 }, { Status: 3 }, { Status: 2 }]

describe('names on Workers', () => {
  afterEach(() => void vi.unstubAllGlobals())

  it.each([
    [found, none, ['8.8.4.4']],
    [found, failing, ['8.8.4.4']],
    [none, none, []],
    [missing, missing, []],
  ])('%j and %j are %j', async (A, AAAA, addresses) => {
    answerWith({ A, AAAA })
    expect(await resolveByHttps('hooks.example.com')).toEqual(addresses)
  })

  it.each([
    [failing, failing],
    [failing, none],
    [502, 502],
  ])('%j and %j are a failure of DNS', async (A, AAAA) => {
    answerWith({ A, AAAA })
    await expect(resolveByHttps('hooks.example.com')).rejects.toThrow()
  })
})
