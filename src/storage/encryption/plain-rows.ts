/** What lies in the database in plain, from before it was encrypted, and the records whose files may. */
import { and, asc, eq, gt, sql } from 'drizzle-orm'
import type { NamedMedium } from '../../records/medium.ts'
import { enrolledTemplates, personImages, persons } from '../collections/collection-schema.ts'
import { encryptVector } from '../collections/encrypted-templates.ts'
import type { Database } from '../database.ts'
import { encryptFindings, selectFindings } from '../folders/findings.ts'
import { mimeTypeOf } from '../folders/named-media.ts'
import { reports } from '../reports/report-schema.ts'
import { analyses, findings, folders, media } from '../schema.ts'
import { type RowCipher, toFloats } from './row-cipher.ts'

const rowsAtOnce = 200

/** Reads rows page by page, each after the last one of the page before. */
async function* pages<Row, Key>(
  first: Key,
  read: (after: Key) => Promise<Row[]>,
  keyOf: (row: Row) => Key,
): AsyncGenerator<Row[]> {
  for (let after = first; ; ) {
    const rows = await read(after)
    if (rows.length > 0) yield rows
    if (rows.length < rowsAtOnce) return
    after = keyOf(rows.at(-1)!)
  }
}

/** Precedes all ids. */
const firstId = '00000000-0000-0000-0000-000000000000'

/** A medium or photo, with its folder or collection. */
export interface OwnedMedium extends NamedMedium {
  ownerId: string
}

export class PlainRows {
  readonly #database: Database
  readonly #cipher: RowCipher

  constructor(database: Database, cipher: RowCipher) {
    this.#database = database
    this.#cipher = cipher
  }

  /**
   * Encrypts the templates of collections. One that is replaced or removed meanwhile stays as it is.
   * @returns how many were in plain
   */
  async encryptTemplates(): Promise<number> {
    const { number, imageId, personId, collectionId, vector } = enrolledTemplates
    let count = 0
    const read = (after: number) =>
      this.#database.read((queries) =>
        queries
          .select({ number, imageId, personId, collectionId, vector })
          .from(enrolledTemplates)
          .where(and(gt(number, after), sql`length(${vector}) % 4 = 0`))
          .orderBy(asc(number))
          .limit(rowsAtOnce),
      )
    for await (const rows of pages(0, read, (row) => row.number)) {
      const made = await Promise.all(
        rows.map((row) => encryptVector(this.#cipher, row, toFloats(row.vector))),
      )
      await this.#database.write(async (queries) => {
        for (const [place, row] of rows.entries())
          await queries
            .update(enrolledTemplates)
            .set({ vector: made[place]! })
            .where(and(eq(number, row.number), eq(vector, row.vector)))
      })
      count += rows.length
    }
    return count
  }

  /** Encrypts what was found in media. @returns how many rows were in plain */
  async encryptFindings(): Promise<number> {
    const { mediumNumber, found } = findings
    let count = 0
    const read = (after: number) =>
      this.#database.read((queries) =>
        selectFindings(queries, and(gt(mediumNumber, after), sql`typeof(${found}) = 'text'`))
          .orderBy(asc(mediumNumber))
          .limit(rowsAtOnce),
      )
    for await (const rows of pages(0, read, (row) => row.mediumNumber)) {
      const made = await Promise.all(
        rows.map((row) =>
          encryptFindings(this.#cipher, row, {
            found: String(row.found),
            template: row.template && toFloats(row.template),
          }),
        ),
      )
      await this.#database.write(async (queries) => {
        for (const [place, row] of rows.entries())
          await queries
            .update(findings)
            .set(made[place]!)
            .where(and(eq(mediumNumber, row.mediumNumber), eq(found, row.found)))
      })
      count += rows.length
    }
    return count
  }

  /** Media of folders, then photos of persons. */
  async *media(): AsyncGenerator<OwnedMedium[]> {
    const ofFolders = (after: number) =>
      this.#database.read((queries) =>
        queries
          .select({ number: media.number, id: media.id, mimeType: mimeTypeOf(media), ownerId: folders.id })
          .from(media)
          .innerJoin(folders, eq(folders.number, media.folderNumber))
          .where(gt(media.number, after))
          .orderBy(asc(media.number))
          .limit(rowsAtOnce),
      )
    yield* pages(0, ofFolders, ({ number }) => number)
    const { id } = personImages
    const ofPersons = (after: string) =>
      this.#database.read((queries) =>
        queries
          .select({ id, mimeType: mimeTypeOf(personImages), ownerId: persons.collectionId })
          .from(personImages)
          .innerJoin(persons, eq(persons.id, personImages.personId))
          .where(gt(id, after))
          .orderBy(asc(id))
          .limit(rowsAtOnce),
      )
    yield* pages(firstId, ofPersons, (row) => row.id)
  }

  reports() {
    const { id, folderId } = reports
    const read = (after: string) =>
      this.#database.read((queries) =>
        queries
          .select({ id, folderId })
          .from(reports)
          .where(gt(id, after))
          .orderBy(asc(id))
          .limit(rowsAtOnce),
      )
    return pages(firstId, read, (row) => row.id)
  }

  /** Analyses with their media. */
  analyses() {
    const { number, id } = analyses
    const read = (after: number) =>
      this.#database.read((queries) =>
        queries
          .select({ number, id, media: analyses.media, folderId: folders.id })
          .from(analyses)
          .innerJoin(folders, eq(folders.number, analyses.folderNumber))
          .where(gt(number, after))
          .orderBy(asc(number))
          .limit(rowsAtOnce),
      )
    return pages(0, read, (row) => row.number)
  }
}
