import { count, eq, inArray } from 'drizzle-orm'
import { AppError } from '../../errors.ts'
import type { ListQuery, Page } from '../../records/list-query.ts'
import { type DeviceSettings, patternsFor } from '../../records/telemetry.ts'
import type { Database } from '../database.ts'
import { listOrder } from '../lists/list-conditions.ts'
import { deviceSettings } from './telemetry-schema.ts'

/** Patterns that a service has settings for. */
const patternsMax = 10_000

const toRecord = ({
  pattern,
  settings,
  createdAt,
  updatedAt,
}: typeof deviceSettings.$inferSelect): DeviceSettings => ({
  pattern,
  settings,
  createdAtMs: createdAt,
  updatedAtMs: updatedAt,
})

const columns = {
  pattern: { column: deviceSettings.pattern },
  createdAt: { column: deviceSettings.createdAt },
  updatedAt: { column: deviceSettings.updatedAt },
}

/** Settings for device models by pattern. Patterns are compared without case. */
export class DeviceSettingsStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** The settings that apply to a model, the most general ones first. */
  async matching(model: string): Promise<DeviceSettings[]> {
    const keys = patternsFor(model)
    const rows = await this.#database.read((queries) =>
      queries.select().from(deviceSettings).where(inArray(deviceSettings.key, keys)),
    )
    return rows.sort((a, b) => keys.indexOf(a.key) - keys.indexOf(b.key)).map(toRecord)
  }

  list(query: ListQuery): Promise<Page<DeviceSettings>> {
    return this.#database.read(async (queries) => {
      const rows = await queries
        .select()
        .from(deviceSettings)
        .orderBy(...listOrder(query.sorting, columns, deviceSettings.key))
        .limit(query.limit ?? Number.MAX_SAFE_INTEGER)
        .offset(query.offset)
      const [counted] = query.totalOmit ? [] : await queries.select({ total: count() }).from(deviceSettings)
      return { items: rows.map(toRecord), total: counted?.total ?? null }
    })
  }

  /**
   * Stores settings in place of those of the same pattern.
   * @returns the settings as stored
   * @throws {AppError} `not_allowed` for too many patterns
   */
  put({ pattern, settings, createdAtMs, updatedAtMs }: DeviceSettings): Promise<DeviceSettings> {
    const row = { pattern, settings, updatedAt: updatedAtMs }
    return this.#database.write(async (queries) => {
      const [stored] = await queries
        .insert(deviceSettings)
        .values({ key: pattern.toLowerCase(), createdAt: createdAtMs, ...row })
        .onConflictDoUpdate({ target: deviceSettings.key, set: row })
        .returning()
      const [counted] = await queries.select({ total: count() }).from(deviceSettings)
      if (!stored || (counted?.total ?? 0) > patternsMax)
        throw new AppError('not_allowed', `There are settings for at most ${patternsMax} patterns of models`)
      return toRecord(stored)
    })
  }

  /** @returns whether there were settings of the pattern */
  async delete(pattern: string): Promise<boolean> {
    const rows = await this.#database.write((queries) =>
      queries
        .delete(deviceSettings)
        .where(eq(deviceSettings.key, pattern.toLowerCase()))
        .returning({ key: deviceSettings.key }),
    )
    return rows.length > 0
  }
}
