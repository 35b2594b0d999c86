import { and, asc, eq, inArray, notInArray, sql } from 'drizzle-orm'
import type { NormalizedTemplate } from '../../decide/comparison.ts'
import { AppError } from '../../errors.ts'
import type { PersonRecord } from '../../records/collection.ts'
import type { ListQuery } from '../../records/list-query.ts'
import type { MediumRecord, Metadata, NamedMedium } from '../../records/medium.ts'
import { changeMetadata } from '../change-metadata.ts'
import type { Database, Queries } from '../database.ts'
import { noCipher, type RowCipher } from '../encryption/row-cipher.ts'
import { mediumColumns, toMediumRecord } from '../folders/folder-rows.ts'
import { selectNamedMedia } from '../folders/named-media.ts'
import { firstPace, readInBatches } from '../lists/batches.ts'
import { amongIds, containsInIdOrMetadata, listConditions, listOrder } from '../lists/list-conditions.ts'
import {
  collections,
  enrolledTemplates,
  personImages,
  persons,
  templateRemovals,
} from './collection-schema.ts'
import { encryptVector } from './encrypted-templates.ts'

/** A photo to enrol, with its template. */
export interface EnrolledImage {
  image: MediumRecord
  template: NormalizedTemplate
  /** The network and cohort that made the template (`enrolmentModels`). */
  models: string
}

/** A person without photos. */
export type PersonHead = Omit<PersonRecord, 'images'>

/** A photo with the person it shows. */
export interface PlacedImage {
  person: PersonHead
  image: MediumRecord
}

/** What a removal needs to know of a person. */
export type RemovablePerson = Pick<PersonHead, 'id' | 'collectionId' | 'companyId'>

export interface RemovableImage {
  person: RemovablePerson
  id: string
}

const columns = {
  id: { column: persons.id },
  createdAt: { column: persons.createdAt },
  updatedAt: { column: persons.updatedAt },
  searchText: containsInIdOrMetadata(persons),
}

const removableColumns = {
  id: persons.id,
  collectionId: persons.collectionId,
  companyId: collections.companyId,
}

const headColumns = {
  ...removableColumns,
  metadata: persons.metadata,
  createdAtMs: persons.createdAt,
  updatedAtMs: persons.updatedAt,
}

/** The engine limits the number of values in one statement. */
const idsAtOnce = 1000

/** Photos of some persons of one collection, by person id. */
async function readImages(
  queries: Queries,
  collectionId: string,
  personIds: readonly string[],
): Promise<Map<string, MediumRecord[]>> {
  const images = new Map<string, MediumRecord[]>()
  for (let start = 0; start < personIds.length; start += idsAtOnce) {
    const rows = await queries
      .select()
      .from(personImages)
      .where(inArray(personImages.personId, personIds.slice(start, start + idsAtOnce)))
      .orderBy(asc(personImages.createdAt), sql`rowid`)
    for (const row of rows) {
      const known = images.get(row.personId) ?? []
      known.push(toMediumRecord(collectionId, row))
      images.set(row.personId, known)
    }
  }
  return images
}

type TemplateRow = typeof enrolledTemplates.$inferInsert

/** Rows of templates, encrypted before the transaction that stores them: it may have to make a key. */
const templateRows = (
  cipher: RowCipher,
  { id: personId, collectionId }: Pick<PersonRecord, 'id' | 'collectionId'>,
  enrolled: readonly EnrolledImage[],
): Promise<TemplateRow[]> =>
  Promise.all(
    enrolled.map(async ({ image, template, models }) => {
      const place = { imageId: image.id, personId, collectionId }
      const vector = await encryptVector(cipher, place, template.vector)
      return { ...place, models, vector, threshold: template.threshold, scale: template.scale }
    }),
  )

async function enrol(
  queries: Queries,
  { id: personId, collectionId }: Pick<PersonRecord, 'id' | 'collectionId'>,
  enrolled: readonly EnrolledImage[],
  rows: readonly TemplateRow[],
): Promise<void> {
  for (const [place, { image }] of enrolled.entries()) {
    await queries.insert(personImages).values({ personId, ...mediumColumns(image) })
    await queries.insert(enrolledTemplates).values(rows[place]!)
  }
  await queries
    .update(collections)
    .set({ templates: sql`${collections.templates} + ${enrolled.length}` })
    .where(eq(collections.id, collectionId))
}

type TemplateColumn = typeof enrolledTemplates.personId | typeof enrolledTemplates.imageId

/** Removes templates and logs their removal, within the transaction that removes their persons or photos. */
async function withdraw(
  queries: Queries,
  collectionId: string,
  column: TemplateColumn,
  ids: readonly string[],
  nowMs: number,
): Promise<void> {
  const gone = inArray(column, [...ids])
  await queries.run(sql`
    insert into ${templateRemovals} (collection_id, template_number, at)
    select ${sql.param(collectionId, templateRemovals.collectionId)}, ${enrolledTemplates.number}, ${nowMs} from ${enrolledTemplates} where ${gone}
    order by ${enrolledTemplates.number}`)
  const left = sql`${collections.templates} - (select count(*) from ${enrolledTemplates} where ${gone})`
  await queries.update(collections).set({ templates: left }).where(eq(collections.id, collectionId))
  await queries.delete(enrolledTemplates).where(gone)
}

/** @throws {AppError} `not_found` if the collection does not exist or is marked for removal */
async function requireCollection(queries: Queries, id: string): Promise<void> {
  const [row] = await queries
    .select({ inDeletion: collections.inDeletion })
    .from(collections)
    .where(eq(collections.id, id))
  if (!row || row.inDeletion) throw new AppError('not_found')
}

/** Persons of collections, with their photos and templates. */
export class PersonStore {
  readonly #database: Database
  readonly #cipher: RowCipher

  constructor(database: Database, cipher: RowCipher = noCipher) {
    this.#database = database
    this.#cipher = cipher
  }

  /**
   * Stores a new person with photos.
   * @param also further writes of the same transaction
   * @throws {AppError} `not_found` if the collection no longer exists
   */
  async insert(
    { id, collectionId, metadata, createdAtMs, updatedAtMs }: PersonHead,
    enrolled: readonly EnrolledImage[],
    also: (queries: Queries) => Promise<void>,
  ): Promise<void> {
    const rows = await templateRows(this.#cipher, { id, collectionId }, enrolled)
    await this.#database.write(async (queries) => {
      await requireCollection(queries, collectionId)
      const row = { id, collectionId, metadata, createdAt: createdAtMs, updatedAt: updatedAtMs }
      await queries.insert(persons).values(row)
      await enrol(queries, { id, collectionId }, enrolled, rows)
      await also(queries)
    })
  }

  /**
   * Adds photos to a person.
   * @throws {AppError} `not_found` if the person no longer exists
   */
  async addImages(
    person: PersonHead,
    enrolled: readonly EnrolledImage[],
    nowMs: number,
    also: (queries: Queries) => Promise<void>,
  ): Promise<void> {
    const templates = await templateRows(this.#cipher, person, enrolled)
    await this.#database.write(async (queries) => {
      await requireCollection(queries, person.collectionId)
      const rows = await queries
        .update(persons)
        .set({ updatedAt: nowMs })
        .where(eq(persons.id, person.id))
        .returning({ id: persons.id })
      if (rows.length === 0) throw new AppError('not_found')
      await enrol(queries, person, enrolled, templates)
      await also(queries)
    })
  }

  async find(collectionId: string, id: string): Promise<PersonRecord | null> {
    return this.#database.read(async (queries) => {
      const [head] = await queries
        .select(headColumns)
        .from(persons)
        .innerJoin(collections, eq(collections.id, persons.collectionId))
        .where(
          and(eq(persons.id, id), eq(persons.collectionId, collectionId), eq(collections.inDeletion, false)),
        )
      if (!head) return null
      const images = await readImages(queries, collectionId, [id])
      return { ...head, images: images.get(id) ?? [] }
    })
  }

  /** What decides whether a caller may remove a person: a damaged one can be removed, too. */
  async findToRemove(collectionId: string, id: string): Promise<RemovablePerson | null> {
    const [row] = await this.#database.read((queries) =>
      queries
        .select(removableColumns)
        .from(persons)
        .innerJoin(collections, eq(collections.id, persons.collectionId))
        .where(
          and(eq(persons.id, id), eq(persons.collectionId, collectionId), eq(collections.inDeletion, false)),
        ),
    )
    return row ?? null
  }

  /** The same for a photo. */
  async findImageToRemove(id: string): Promise<RemovableImage | null> {
    const [row] = await this.#database.read((queries) =>
      queries
        .select({ person: removableColumns, id: personImages.id })
        .from(personImages)
        .innerJoin(persons, eq(persons.id, personImages.personId))
        .innerJoin(collections, eq(collections.id, persons.collectionId))
        .where(and(eq(personImages.id, id), eq(collections.inDeletion, false))),
    )
    return row ?? null
  }

  async list(query: ListQuery, collectionId: string): Promise<AsyncIterable<readonly PersonRecord[]>> {
    const found = await this.#database.read((queries) =>
      queries
        .select({ id: persons.id })
        .from(persons)
        .innerJoin(collections, eq(collections.id, persons.collectionId))
        .where(and(eq(persons.collectionId, collectionId), ...listConditions(query.filters, columns)))
        .orderBy(...listOrder(query.sorting, columns, persons.id))
        .limit(query.limit ?? Number.MAX_SAFE_INTEGER)
        .offset(query.offset),
    )
    const ids = found.map(({ id }) => id)
    return readInBatches(ids, firstPace(this.#database), (batch) =>
      this.#database.read(async (queries) => {
        const heads = await queries
          .select(headColumns)
          .from(persons)
          .innerJoin(collections, eq(collections.id, persons.collectionId))
          .where(amongIds(persons.id, batch))
        const images = await readImages(queries, collectionId, batch)
        return new Map(heads.map((head) => [head.id, { ...head, images: images.get(head.id) ?? [] }]))
      }),
    )
  }

  /** A photo by its id, with its person. */
  async findImage(id: string): Promise<PlacedImage | null> {
    const [row] = await this.#database.read((queries) =>
      queries
        .select({ person: headColumns, image: personImages })
        .from(personImages)
        .innerJoin(persons, eq(persons.id, personImages.personId))
        .innerJoin(collections, eq(collections.id, persons.collectionId))
        .where(and(eq(personImages.id, id), eq(collections.inDeletion, false))),
    )
    return row ? { person: row.person, image: toMediumRecord(row.person.collectionId, row.image) } : null
  }

  changeMetadata(
    id: string,
    change: (metadata: Metadata) => Metadata,
    nowMs: number,
  ): Promise<Metadata | null> {
    return changeMetadata(this.#database, persons, id, change, nowMs)
  }

  /**
   * Writes in one transaction with a check of a photo.
   * @throws {AppError} `not_found` if the photo was deleted meanwhile
   */
  async holdImage(id: string, also: (queries: Queries) => Promise<void>): Promise<void> {
    await this.#database.write(async (queries) => {
      const [row] = await queries
        .select({ id: personImages.id })
        .from(personImages)
        .where(eq(personImages.id, id))
      if (!row) throw new AppError('not_found')
      await also(queries)
    })
  }

  /** @param tags new tags, stored in the same transaction; `null` if they stay */
  changeImageMetadata(
    id: string,
    change: (metadata: Metadata) => Metadata,
    nowMs: number,
    tags: readonly string[] | null = null,
  ): Promise<Metadata | null> {
    return changeMetadata(this.#database, personImages, id, change, nowMs, async (queries) => {
      if (tags) await queries.update(personImages).set({ tags }).where(eq(personImages.id, id))
    })
  }

  /**
   * Removes persons of one collection with their photos and templates.
   * @param also further writes of the same transaction; it gets the photos read within the transaction
   */
  async delete(
    collectionId: string,
    ids: readonly string[],
    nowMs: number,
    also: (queries: Queries, removed: readonly NamedMedium[]) => Promise<void>,
  ): Promise<void> {
    await this.#database.write(async (queries) => {
      const removed = await selectNamedMedia(queries, inArray(personImages.personId, [...ids]), personImages)
      await withdraw(queries, collectionId, enrolledTemplates.personId, ids, nowMs)
      await queries.delete(persons).where(inArray(persons.id, [...ids]))
      await also(queries, removed)
    })
  }

  /** Removes one photo and its template. */
  async deleteImage(
    { person: { id: personId, collectionId }, id: imageId }: RemovableImage,
    nowMs: number,
    also: (queries: Queries, removed: readonly NamedMedium[]) => Promise<void>,
  ): Promise<void> {
    await this.#database.write(async (queries) => {
      await also(queries, await selectNamedMedia(queries, eq(personImages.id, imageId), personImages))
      await withdraw(queries, collectionId, enrolledTemplates.imageId, [imageId], nowMs)
      await queries.delete(personImages).where(eq(personImages.id, imageId))
      await queries.update(persons).set({ updatedAt: nowMs }).where(eq(persons.id, personId))
    })
  }

  /** Up to `max` persons of a collection, for its removal. @param except those that cannot be removed */
  async listIds(collectionId: string, max: number, except: readonly string[]): Promise<string[]> {
    const rows = await this.#database.read((queries) =>
      queries
        .select({ id: persons.id })
        .from(persons)
        .where(and(eq(persons.collectionId, collectionId), notInArray(persons.id, [...except])))
        .limit(max),
    )
    return rows.map(({ id }) => id)
  }
}
