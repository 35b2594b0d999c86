import { and, asc, eq, gt, inArray, lt, max, type SQL } from 'drizzle-orm'
import type { NormalizedTemplate } from '../../decide/comparison.ts'
import type { Database } from '../database.ts'
import { collections, enrolledTemplates, personImages, templateRemovals } from './collection-schema.ts'

/** A template of other models than those that search now, with where the photo of it lies. */
export interface OutdatedTemplate {
  number: number
  imageId: string
  collectionId: string
  models: string
  vector: Float32Array
  mimeType: string
  tags: readonly string[]
}

const templateColumns = {
  number: enrolledTemplates.number,
  subjectId: enrolledTemplates.personId,
  vector: enrolledTemplates.vector,
  threshold: enrolledTemplates.threshold,
  scale: enrolledTemplates.scale,
}

/**
 * The templates of collections, as the search engine reads them.
 * @example new TemplateStore(database, enrolmentModels(cohort))
 */
export class TemplateStore {
  readonly #database: Database
  readonly #models: string
  /** Stands at templates that cannot be made anew for the models that search now. */
  readonly #unusable: string

  /** @param models templates of others are not there for a search */
  constructor(database: Database, models: string) {
    this.#database = database
    this.#models = models
    this.#unusable = `${models} unusable`
  }

  #isSearched(collectionId: string) {
    return and(eq(enrolledTemplates.collectionId, collectionId), eq(enrolledTemplates.models, this.#models))
  }

  /** How many templates a collection has; `null` when it is not there. */
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
  added(collectionId: string, after: number, count: number) {
    return this.#database.read((queries) =>
      queries
        .select(templateColumns)
        .from(enrolledTemplates)
        .where(and(this.#isSearched(collectionId), gt(enrolledTemplates.number, after)))
        .orderBy(asc(enrolledTemplates.number))
        .limit(count),
    )
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

  /** Those of the given templates that are still there. */
  read(collectionId: string, numbers: readonly number[]) {
    return this.#database.read((queries) =>
      queries
        .select(templateColumns)
        .from(enrolledTemplates)
        .where(and(this.#isSearched(collectionId), inArray(enrolledTemplates.number, [...numbers]))),
    )
  }

  /** Which photos templates are of, by their numbers. */
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

  /** Whether a search of the collection sees all of its templates, or will when they have been made anew. */
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

  /** Models of templates besides those that search now; one look-up for each, however many templates there are. */
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

  /** Templates of other models, some of them. */
  outdated(models: string, count: number): Promise<OutdatedTemplate[]> {
    return this.#database.read(async (queries) => {
      const { number, imageId, collectionId, vector } = enrolledTemplates
      const { original, tags } = personImages
      const rows = await queries
        .select({ number, imageId, collectionId, vector, original, tags })
        .from(enrolledTemplates)
        .innerJoin(personImages, eq(personImages.id, imageId))
        .where(eq(enrolledTemplates.models, models))
        .orderBy(asc(number))
        .limit(count)
      return rows.map(({ original, ...row }) => ({ ...row, models, mimeType: original.mimeType }))
    })
  }

  /** Notes that a template cannot be made anew: searches of its collection are no longer complete. */
  async giveUp({ number, models }: OutdatedTemplate): Promise<void> {
    const isAsItWas = and(eq(enrolledTemplates.number, number), eq(enrolledTemplates.models, models))
    await this.#database.write((queries) =>
      queries.update(enrolledTemplates).set({ models: this.#unusable }).where(isAsItWas),
    )
  }

  /** Puts a template of the models that search now in the place of an outdated one, under a new number. */
  async replace(
    { number, imageId, collectionId }: OutdatedTemplate,
    made: NormalizedTemplate,
    nowMs: number,
  ) {
    await this.#database.write(async (queries) => {
      const [gone] = await queries
        .delete(enrolledTemplates)
        .where(eq(enrolledTemplates.number, number))
        .returning({ personId: enrolledTemplates.personId })
      if (!gone) return
      await queries.insert(templateRemovals).values({ collectionId, templateNumber: number, at: nowMs })
      const { vector, threshold, scale } = made
      const row = { imageId, personId: gone.personId, collectionId, models: this.#models }
      await queries.insert(enrolledTemplates).values({ ...row, vector, threshold, scale })
    })
  }

  /** Stops listing old removals; who was away for longer reads the collection anew. */
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
