import { eq } from 'drizzle-orm'
import type { Database } from '../database.ts'
import { secrets } from '../schema.ts'

/** Values that the service generated itself. */
export class SecretStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** The value of a name, generated and stored if there is none. Of two concurrent callers, both get the first value stored. */
  async findOrMake(name: string, make: () => string | Promise<string>): Promise<string> {
    const known = await this.#find(name)
    if (known !== null) return known
    const value = await make()
    await this.#database.write((queries) =>
      queries.insert(secrets).values({ name, value }).onConflictDoNothing(),
    )
    return (await this.#find(name)) ?? value
  }

  async #find(name: string): Promise<string | null> {
    const [row] = await this.#database.read((queries) =>
      queries.select().from(secrets).where(eq(secrets.name, name)),
    )
    return row?.value ?? null
  }
}
