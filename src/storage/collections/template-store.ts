import { and, asc, eq, gt, inArray, lt, max, type SQL } from 'drizzle-orm'
import type { NormalizedTemplate } from '../../decide/comparison.ts'
import type { Database } from '../database.ts'
import { noCipher, type RowCipher } from '../encryption/row-cipher.ts'
import { collections, enrolledTemplates, personImages, templateRemovals } from './collection-schema.ts'
import { decryptVector, encryptVector } from './encrypted-templates.ts'

/** A template made by other models than the current ones, with the data to find its photo. */
export interface OutdatedTemplate {
  number: number
  imageId: string
  personId: string
  collectionId: string
  models: string
  vector: Float32Array
  mimeType: string
  tags: readonly string[]
}

const templateColumns = {
  number: enrolledTemplates.number,
  imageId: enrolledTemplates.imageId,
  personId: enrolledTemplates.personId,
  collectionId: enrolledTemplates.collectionId,
  vector: enrolledTemplates.vector,
  threshold: enrolledTemplates.threshold,
  scale: enrolledTemplates.scale,
}

/** Web Crypto begins each in the event loop, which a page of 1000 would hold for 0.1 s. */
const decryptedAtOnce = 50

type TemplateRow = Pick<typeof enrolledTemplates.$inferSelect, keyof typeof templateColumns>

/** A template as searches read it. */
interface SearchedTemplate extends NormalizedTemplate {
  number: number
  /** The person. */
  subjectId: string
}

/**
 * The templates of collections, as the search index reads them.
 * @example
 * ```ts
 * import { openTestDatabase } from '../../../test/fixtures/database.ts'
 * import { TemplateStore } from './template-store.ts'
 *
 * const { database, close } = await openTestDatabase()
 * const templates = new TemplateStore(database, 'network-1 cohort-1')
 * await templates.state(crypto.randomUUID()) // → null
 * await close()
 * ```
 */
export class TemplateStore {
  readonly #database: Database
  readonly #models: string
  readonly #cipher: RowCipher
  /** Marks templates that cannot be extracted again with the current models. */
  readonly #unusable: string

  /** @param models the current models; searches ignore templates of other models */
  constructor(database: Database, models: string, cipher: RowCipher = noCipher) {
    this.#database = database
    this.#cipher = cipher
    this.#models = models
    this.#unusable = `${models} unusable`
  }

  #isSearched(collectionId: string) {
    return and(eq(enrolledTemplates.collectionId, collectionId), eq(enrolledTemplates.models, this.#models))
  }

  /** The number of templates of a collection and the start of its removal log; `null` if the collection does not exist. */
  async state(collectionId: string): Promise<{ count: number; removedBefore: number } | null> {
    const [row] = await this.#database.read((queries) =>
      queries
        .select({ count: collections.templates, removedBefore: collections.removedBefore })
        .from(collections)
        .where(and(eq(collections.id, collectionId), eq(collections.inDeletion, false))),
    )
    return row ?? null
  }

  /** Templates with numbers above `after`, ascending. */
  added(collectionId: string, after: number, count: number): Promise<SearchedTemplate[]> {
    return this.#search(and(this.#isSearched(collectionId), gt(enrolledTemplates.number, after)), count)
  }

  /** Removals with numbers above `after`, ascending. */
  removed(collectionId: string, after: number, count: number) {
    return this.#database.read((queries) =>
      queries
        .select({ number: templateRemovals.number, templateNumber: templateRemovals.templateNumber })
        .from(templateRemovals)
        .where(and(eq(templateRemovals.collectionId, collectionId), gt(templateRemovals.number, after)))
        .orderBy(asc(templateRemovals.number))
        .limit(count),
    )
  }

  /** The existing templates among the given numbers. */
  read(collectionId: string, numbers: readonly number[]): Promise<SearchedTemplate[]> {
    const isOne = inArray(enrolledTemplates.number, [...numbers])
    return this.#search(and(this.#isSearched(collectionId), isOne), numbers.length)
  }

  async #search(where: SQL | undefined, count: number): Promise<SearchedTemplate[]> {
    const rows = await this.#database.read((queries) =>
      queries
        .select(templateColumns)
        .from(enrolledTemplates)
        .where(where)
        .orderBy(asc(enrolledTemplates.number))
        .limit(count),
    )
    const found: SearchedTemplate[] = []
    for (let start = 0; start < rows.length; start += decryptedAtOnce)
      found.push(...(await Promise.all(rows.slice(start, start + decryptedAtOnce).map(this.#decrypt))))
    return found
  }

  readonly #decrypt = async (row: TemplateRow): Promise<SearchedTemplate> => {
    const { number, personId: subjectId, threshold, scale } = row
    return { number, subjectId, vector: await decryptVector(this.#cipher, row), threshold, scale }
  }

  /** The photo ids of templates, by template number. */
  async imageIds(numbers: readonly number[]): Promise<Map<number, string>> {
    if (numbers.length === 0) return new Map()
    const rows = await this.#database.read((queries) =>
      queries
        .select({ number: enrolledTemplates.number, imageId: enrolledTemplates.imageId })
        .from(enrolledTemplates)
        .where(inArray(enrolledTemplates.number, [...numbers])),
    )
    return new Map(rows.map(({ number, imageId }) => [number, imageId]))
  }

  /** Whether a search sees all templates of the collection, now or after all outdated ones are extracted again. */
  async completeness(collectionId: string): Promise<'complete' | 'being_renewed' | 'incomplete'> {
    const { models } = enrolledTemplates
    const isThere = (...conditions: SQL[]) =>
      this.#database.read((queries) =>
        queries
          .select({ models })
          .from(enrolledTemplates)
          .where(and(eq(enrolledTemplates.collectionId, collectionId), ...conditions))
          .limit(1),
      )
    const found = await Promise.all([
      isThere(lt(models, this.#models)),
      isThere(gt(models, this.#models), lt(models, this.#unusable)),
      isThere(gt(models, this.#unusable)),
    ])
    if (found.some((rows) => rows.length > 0)) return 'being_renewed'
    return (await isThere(eq(models, this.#unusable))).length > 0 ? 'incomplete' : 'complete'
  }

  /** Outdated models that still have templates. Runs one query per model, however many templates there are. */
  async otherModels(): Promise<string[]> {
    const known: string[] = []
    for (let last = ''; ; ) {
      const [next] = await this.#database.read((queries) =>
        queries
          .select({ models: enrolledTemplates.models })
          .from(enrolledTemplates)
          .where(gt(enrolledTemplates.models, last))
          .orderBy(asc(enrolledTemplates.models))
          .limit(1),
      )
      if (!next) return known.filter((models) => models !== this.#models && models !== this.#unusable)
      last = next.models
      known.push(last)
    }
  }

  /** Up to `count` numbers of templates of outdated models, above `after`, ascending. */
  async outdated(models: string, after: number, count: number): Promise<number[]> {
    const { number } = enrolledTemplates
    const rows = await this.#database.read((queries) =>
      queries
        .select({ number })
        .from(enrolledTemplates)
        .where(and(eq(enrolledTemplates.models, models), gt(number, after)))
        .orderBy(asc(number))
        .limit(count),
    )
    return rows.map((row) => row.number)
  }

  /** The existing templates among some numbers, with the data to find their photos. */
  async readOutdated(models: string, numbers: readonly number[]): Promise<OutdatedTemplate[]> {
    const rows = await this.#database.read((queries) => {
      const { number, imageId, personId, collectionId, vector } = enrolledTemplates
      const { original, tags } = personImages
      return queries
        .select({ number, imageId, personId, collectionId, vector, original, tags })
        .from(enrolledTemplates)
        .innerJoin(personImages, eq(personImages.id, imageId))
        .where(and(eq(enrolledTemplates.models, models), inArray(number, [...numbers])))
        .orderBy(asc(number))
    })
    return Promise.all(
      rows.map(async ({ original, ...row }) => {
        const vector = await decryptVector(this.#cipher, row)
        return { ...row, vector, models, mimeType: original.mimeType }
      }),
    )
  }

  /** Marks a template that cannot be extracted again: searches of its collection become incomplete. */
  async giveUp({ number, models }: OutdatedTemplate): Promise<void> {
    const isAsItWas = and(eq(enrolledTemplates.number, number), eq(enrolledTemplates.models, models))
    await this.#database.write((queries) =>
      queries.update(enrolledTemplates).set({ models: this.#unusable }).where(isAsItWas),
    )
  }

  /** Replaces an outdated template by one of the current models, under a new number. */
  async replace(
    { number, imageId, personId, collectionId }: OutdatedTemplate,
    { vector: plain, threshold, scale }: NormalizedTemplate,
    nowMs: number,
  ) {
    const place = { imageId, personId, collectionId }
    const vector = await encryptVector(this.#cipher, place, plain)
    await this.#database.write(async (queries) => {
      const gone = await queries
        .delete(enrolledTemplates)
        .where(eq(enrolledTemplates.number, number))
        .returning({ number: enrolledTemplates.number })
      if (gone.length === 0) return
      await queries.insert(templateRemovals).values({ collectionId, templateNumber: number, at: nowMs })
      const row = { ...place, models: this.#models, vector, threshold, scale }
      await queries.insert(enrolledTemplates).values(row)
    })
  }

  /** Deletes old entries of the removal log. A replica that was away for longer reads the whole collection again. */
  async forgetRemovals(beforeMs: number): Promise<void> {
    const ended = lt(templateRemovals.at, beforeMs)
    await this.#database.write(async (queries) => {
      const old = await queries
        .select({ id: templateRemovals.collectionId, last: max(templateRemovals.number) })
        .from(templateRemovals)
        .where(ended)
        .groupBy(templateRemovals.collectionId)
      for (const { id, last } of old)
        await queries
          .update(collections)
          .set({ removedBefore: (last ?? 0) + 1 })
          .where(eq(collections.id, id))
      if (old.length > 0) await queries.delete(templateRemovals).where(ended)
    })
  }
}
