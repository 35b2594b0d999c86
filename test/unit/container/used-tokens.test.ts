import { describe, expect, it } from 'vitest'
import { RememberedTokens, spendOnce, tellUnreleased } from '../../../src/container/used-tokens.ts'
import { AppError } from '../../../src/errors.ts'

const token = (tokenId: string, expiresAtMs = 1000) => ({ tokenId, expiresAtMs })
const outcome = (work: Promise<unknown>) =>
  work.then(
    (value) => value,
    ({ code }: { code: string }) => code,
  )

describe('remembered session tokens', () => {
  it('a token is claimed once, and several together or not at all', async () => {
    const used = new RememberedTokens(() => 0)
    expect(await used.claim([token('a')])).toBe(true)
    expect(await used.claim([token('a')])).toBe(false)
    expect(await used.claim([token('b'), token('a')])).toBe(false)
    expect(await used.claim([token('b')])).toBe(true)
  })

  it('a released token can be claimed again', async () => {
    const used = new RememberedTokens(() => 0)
    await used.claim([token('a')])
    await used.release([token('a')])
    expect(await used.claim([token('a')])).toBe(true)
  })

  it('expired tokens make room ten minutes later, and others are never forgotten', async () => {
    let now = 0
    const used = new RememberedTokens(() => now, 2)
    await used.claim([token('a', 10), token('b', 20)])
    expect(await outcome(used.claim([token('c')]))).toBe('overloaded')
    now = 10 + 600_000 - 1
    expect(await outcome(used.claim([token('c')]))).toBe('overloaded')
    now = 10 + 600_000
    expect(await used.claim([token('c')])).toBe(true)
    expect(await used.claim([token('b')])).toBe(false)
  })
})

describe('spending session tokens', () => {
  it('the work of a container is done once', async () => {
    const used = new RememberedTokens(() => 0)
    const spend = () => outcome(spendOnce(used, [token('a')], async () => 'done'))
    expect(await Promise.all([spend(), spend(), spend()])).toEqual([
      'done',
      'container_unreadable',
      'container_unreadable',
    ])
  })

  it('failed work can be repeated', async () => {
    const used = new RememberedTokens(() => 0)
    const fail = async () => {
      throw new AppError('overloaded')
    }
    expect(await outcome(spendOnce(used, [token('a')], fail))).toBe('overloaded')
    expect(await outcome(spendOnce(used, [token('a')], async () => 'done'))).toBe('done')
  })

  it('a token that cannot be released does not hide why the work failed', async () => {
    const away = new AppError('database_failed')
    const told: unknown[] = []
    const used = tellUnreleased({ claim: async () => true, release: () => Promise.reject(away) }, (error) =>
      told.push(error),
    )
    const fail = () => Promise.reject(new AppError('media_unreadable'))
    expect(await outcome(spendOnce(used, [token('a')], fail))).toBe('media_unreadable')
    expect(told).toEqual([away])
  })

  it('requests without tokens are not counted', async () => {
    const used = new RememberedTokens(() => 0)
    for (let i = 0; i < 2; i++) expect(await spendOnce(used, [], async () => 'done')).toBe('done')
  })
})
