import { describe, expect, it, vi } from 'vitest'
import type { AppError } from '../../../src/errors.ts'
import { LookupLine } from '../../../src/events/lookup-line.ts'

const addresses = ['8.8.4.4']
const silent = (): Promise<string[]> => new Promise(() => {})

describe('lookups of webhook hosts', () => {
  it('lookups of one tenant start at once while those of another hang', async () => {
    const resolveHost = vi.fn((name: string) => (name === 'silent' ? silent() : Promise.resolve(addresses)))
    const line = new LookupLine({ resolveHost, atOnceMax: 8, waitMaxMs: 60_000 })
    // Refused after a minute, when the test is over.
    for (let i = 0; i < 100; i++) line.resolve('silent', 'silent').catch(() => {})
    expect(resolveHost).toHaveBeenCalledTimes(0)
    await new Promise((resolve) => setImmediate(resolve))
    expect(resolveHost).toHaveBeenCalledTimes(3)
    for (let i = 0; i < 10; i++) expect(await line.resolve('other', 'good')).toEqual(addresses)
  })

  it('lookups without a slot in time are refused as overload, not as unresolved names', async () => {
    const line = new LookupLine({ resolveHost: silent, atOnceMax: 1, waitMaxMs: 50 })
    void line.resolve('silent', 'silent')
    const refused = await line.resolve('silent', 'good').catch((error: AppError) => error.code)
    expect(refused).toBe('overloaded')
  })

  it('waiting lookups start when one ends, successful or not', async () => {
    const ends: ((found: string[] | Error) => void)[] = []
    const resolveHost = () =>
      new Promise<string[]>((resolve, reject) =>
        ends.push((found) => (found instanceof Error ? reject(found) : resolve(found))),
      )
    const line = new LookupLine({ resolveHost, atOnceMax: 1, waitMaxMs: 60_000 })
    const answers = ['a', 'b', 'c'].map((name) => line.resolve('one', name).catch(() => 'failed'))
    for (const end of [new Error('no such name'), addresses, addresses]) {
      await new Promise((resolve) => setImmediate(resolve))
      ends.shift()?.(end)
    }
    expect(await Promise.all(answers)).toEqual(['failed', addresses, addresses])
  })
})
