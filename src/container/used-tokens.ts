/** Remembers which session tokens were spent, so that a container is accepted once. */
import { AppError } from '../errors.ts'

export interface SpentToken {
  tokenId: string
  expiresAtMs: number
}

export interface UsedTokens {
  /** Marks all of them as spent, or none. @returns false if one of them was spent before */
  claim(tokens: readonly SpentToken[]): Promise<boolean>
  /** Makes tokens usable again, after nothing came of their use. Never rejects: callers are to learn why that was. */
  release(tokens: readonly SpentToken[]): Promise<void>
}

/** @param onError told why tokens could not be released; they stay spent */
export const tellUnreleased = (used: UsedTokens, onError: (error: unknown) => void): UsedTokens => ({
  claim: (tokens) => used.claim(tokens),
  release: (tokens) => used.release(tokens).catch(onError),
})

/** About 20 MB. Whoever may get tokens without limit, as on an open Instant server, can fill it: containers are then answered 503. */
const tokensMax = 200_000

/** Spent tokens are kept so long after they expire: a replica whose clock is behind would accept them once more. */
export const clockMarginMs = 600_000

/** Remembers tokens in the memory of one process, until they have expired everywhere. */
export class RememberedTokens implements UsedTokens {
  readonly #endById = new Map<string, number>()
  readonly #nowMs: () => number
  readonly #tokensMax: number

  constructor(nowMs: () => number, max = tokensMax) {
    this.#nowMs = nowMs
    this.#tokensMax = max
  }

  /** @throws {AppError} `overloaded` if no more can be remembered: an unknown token must not pass twice */
  async claim(tokens: readonly SpentToken[]): Promise<boolean> {
    if (tokens.some(({ tokenId }) => this.#endById.has(tokenId))) return false
    if (this.#endById.size + tokens.length > this.#tokensMax) this.#forgetExpired()
    if (this.#endById.size + tokens.length > this.#tokensMax)
      throw new AppError('overloaded', 'too many session tokens are in use')
    for (const { tokenId, expiresAtMs } of tokens) this.#endById.set(tokenId, expiresAtMs)
    return true
  }

  async release(tokens: readonly SpentToken[]): Promise<void> {
    for (const { tokenId } of tokens) this.#endById.delete(tokenId)
  }

  #forgetExpired(): void {
    const before = this.#nowMs() - clockMarginMs
    for (const [id, end] of this.#endById) if (end <= before) this.#endById.delete(id)
  }
}

/**
 * Does the work of a container once. If it fails, nothing was stored, and the tokens can be used again: a full queue must
 * not cost a capture.
 * @throws {AppError} `container_unreadable` if a token was spent before, and as `work`
 */
export async function spendOnce<T>(
  used: UsedTokens,
  tokens: readonly SpentToken[],
  work: () => Promise<T>,
): Promise<T> {
  if (tokens.length === 0) return work()
  if (!(await used.claim(tokens))) {
    throw new AppError(
      'container_unreadable',
      'The session token was used before: get a new one and capture again',
    )
  }
  try {
    return await work()
  } catch (error) {
    await used.release(tokens)
    throw error
  }
}
