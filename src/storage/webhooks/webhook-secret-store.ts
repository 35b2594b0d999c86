import { eq } from 'drizzle-orm'
import type { Database, Queries } from '../database.ts'
import { webhookSecrets } from '../schema.ts'

/** What signs the webhooks of a company. */
export interface WebhookSecret {
  secret: string
  /** The one before, while it signs as well. */
  previous: { secret: string; untilMs: number } | null
  createdAtMs: number
}

type Row = typeof webhookSecrets.$inferSelect

function toRecord({ secret, previous, previousUntil, createdAt }: Row, nowMs: number): WebhookSecret {
  const isOver = previous === null || previousUntil === null || previousUntil <= nowMs
  return {
    secret,
    previous: isOver ? null : { secret: previous, untilMs: previousUntil },
    createdAtMs: createdAt,
  }
}

async function find(queries: Queries, companyId: string): Promise<Row | null> {
  const [row] = await queries.select().from(webhookSecrets).where(eq(webhookSecrets.companyId, companyId))
  return row ?? null
}

/** The secrets that webhooks are signed with, one for each company. */
export class WebhookSecretStore {
  readonly #database: Database
  readonly #make: () => string

  /** @param make a new secret */
  constructor(database: Database, make: () => string) {
    this.#database = database
    this.#make = make
  }

  /** The secret of a company; made and kept when there is none. Of two makers the first one counts. */
  async findOrMake(companyId: string, nowMs: number): Promise<WebhookSecret> {
    const known = await this.#database.read((queries) => find(queries, companyId))
    if (known) return toRecord(known, nowMs)
    const row = await this.#database.write(async (queries) => {
      const made = { companyId, secret: this.#make(), createdAt: nowMs }
      await queries.insert(webhookSecrets).values(made).onConflictDoNothing()
      return find(queries, companyId)
    })
    return toRecord(row!, nowMs)
  }

  /** Makes a new secret; the one before signs as well until a time, so that receivers can change over. */
  async rotate(companyId: string, nowMs: number, previousUntilMs: number): Promise<WebhookSecret> {
    const row = await this.#database.write(async (queries) => {
      const known = await find(queries, companyId)
      const fresh = {
        secret: this.#make(),
        previous: known?.secret ?? null,
        previousUntil: known ? previousUntilMs : null,
        createdAt: nowMs,
      }
      await queries
        .insert(webhookSecrets)
        .values({ companyId, ...fresh })
        .onConflictDoUpdate({ target: webhookSecrets.companyId, set: fresh })
      return find(queries, companyId)
    })
    return toRecord(row!, nowMs)
  }

  /** All that sign now, the newest first. */
  async signing(companyId: string, nowMs: number): Promise<string[]> {
    const { secret, previous } = await this.findOrMake(companyId, nowMs)
    return previous ? [secret, previous.secret] : [secret]
  }
}
