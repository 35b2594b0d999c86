import { eq } from 'drizzle-orm'
import type { Database, Queries } from '../database.ts'
import { webhookSecrets } from './webhook-schema.ts'

/** The secrets that sign the webhooks of a company. */
export interface WebhookSecret {
  secret: string
  /** The previous secret, while it still signs too. */
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

  /** @param make generates a secret */
  constructor(database: Database, make: () => string) {
    this.#database = database
    this.#make = make
  }

  /** The secret of a company, generated and stored if there is none. Of two concurrent callers, both get the first one stored. */
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

  /** Generates a new secret. The previous one signs too until `previousUntilMs`, so that receivers can switch. */
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

  /** All secrets that sign now, the newest first. */
  async signing(companyId: string, nowMs: number): Promise<string[]> {
    const { secret, previous } = await this.findOrMake(companyId, nowMs)
    return previous ? [secret, previous.secret] : [secret]
  }
}
