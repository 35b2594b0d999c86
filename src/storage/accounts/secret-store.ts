import { eq } from 'drizzle-orm'
import type { Database } from '../database.ts'
import { secrets } from '../schema.ts'

/** Values that the service made itself. */
export class SecretStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** The value of a name; made and kept when there is none. Of two makers the first one counts. */
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
