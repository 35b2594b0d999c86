import { inArray, lte } from 'drizzle-orm'
import { AppError } from '../../errors.ts'
import type { Database } from '../database.ts'
import { usedSessionTokens } from '../schema.ts'

/** A session token, by its id (`jti`). */
interface SpentToken {
  tokenId: string
  expiresAtMs: number
}

/** Ends a transaction whose other rows must not stay. */
const usedBefore = new AppError('already_exists', 'a session token was used before')

/** Session tokens that were used, for all replicas of the database. */
export class UsedTokenStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Marks all of them as used, or none. @returns false if one of them was used before */
  async claim(tokens: readonly SpentToken[]): Promise<boolean> {
    const rows = tokens.map(({ tokenId, expiresAtMs }) => ({ id: tokenId, expiresAt: expiresAtMs }))
    try {
      await this.#database.write(async (queries) => {
        const added = await queries
          .insert(usedSessionTokens)
          .values(rows)
          .onConflictDoNothing()
          .returning({ id: usedSessionTokens.id })
        if (added.length < rows.length) throw usedBefore
      })
      return true
    } catch (error) {
      if (error === usedBefore) return false
      throw error
    }
  }

  /** Makes tokens usable again. */
  async release(tokens: readonly SpentToken[]): Promise<void> {
    const ids = tokens.map(({ tokenId }) => tokenId)
    await this.#database.write((queries) =>
      queries.delete(usedSessionTokens).where(inArray(usedSessionTokens.id, ids)),
    )
  }

  /** Forgets tokens that had expired at this time. It lies so far back that every replica refuses them anyway. */
  async forgetExpired(atMs: number): Promise<void> {
    await this.#database.write((queries) =>
      queries.delete(usedSessionTokens).where(lte(usedSessionTokens.expiresAt, atMs)),
    )
  }
}
