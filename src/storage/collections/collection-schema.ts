/**
 * The tables of collections. Templates have a table of their own, so that the search index reads nothing else. Their
 * numbers ascend and are never reused, and removals are logged, so that each replica can follow with two queries.
 */
import { index, integer, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import type { Metadata } from '../../records/medium.ts'
import { bytes, packedOriginal, packedPicture, packedSample, uuid } from '../column-types.ts'
import { companies, created, flag, json, sentJson } from '../schema.ts'

export const collections = sqliteTable(
  'collections',
  {
    id: uuid().primaryKey(),
    companyId: uuid('company_id')
      .notNull()
      .references(() => companies.id, { onDelete: 'cascade' }),
    alias: text().notNull(),
    metadata: sentJson<Metadata>(),
    /** Number of templates. */
    templates: integer().notNull().default(0),
    /** Removals with smaller numbers are no longer in the log. */
    removedBefore: integer('removed_before').notNull().default(0),
    /** Marked for removal: invisible to callers, while its content is removed step by step. */
    inDeletion: flag('in_deletion', false),
    ...created,
  },
  (t) => [
    uniqueIndex('collections_alias').on(t.companyId, t.alias),
    index('collections_company').on(t.companyId, t.createdAt),
    index('collections_created').on(t.createdAt),
  ],
)

export const persons = sqliteTable(
  'persons',
  {
    id: uuid().primaryKey(),
    collectionId: uuid('collection_id')
      .notNull()
      .references(() => collections.id, { onDelete: 'cascade' }),
    metadata: sentJson<Metadata>(),
    ...created,
  },
  (t) => [index('persons_collection').on(t.collectionId, t.createdAt, t.id)],
)

export const personImages = sqliteTable(
  'person_images',
  {
    id: uuid().primaryKey(),
    personId: uuid('person_id')
      .notNull()
      .references(() => persons.id, { onDelete: 'cascade' }),
    tags: json<readonly string[]>(),
    originalName: text('original_name'),
    original: packedOriginal().notNull(),
    thumbnail: packedPicture().notNull(),
    sample: packedSample(),
    metadata: sentJson<Metadata>(),
    ...created,
  },
  (t) => [index('person_images_person').on(t.personId, t.createdAt)],
)

export const enrolledTemplates = sqliteTable(
  'enrolled_templates',
  {
    number: integer().primaryKey({ autoIncrement: true }),
    imageId: uuid('image_id')
      .notNull()
      .references(() => personImages.id, { onDelete: 'cascade' }),
    personId: uuid('person_id').notNull(),
    collectionId: uuid('collection_id').notNull(),
    /** Template network and cohort (`enrolmentModels`). */
    models: text().notNull(),
    /** Floats, encrypted or not. */
    vector: bytes().notNull(),
    /** How distances from the template are normalised (`NormalizedTemplate`). */
    threshold: real().notNull(),
    scale: real().notNull(),
  },
  (t) => [
    uniqueIndex('enrolled_templates_image').on(t.imageId),
    index('enrolled_templates_collection').on(t.collectionId, t.models),
    index('enrolled_templates_person').on(t.personId),
    index('enrolled_templates_models').on(t.models),
  ],
)

/** The log of removed templates, for replicas that still hold them. */
export const templateRemovals = sqliteTable(
  'template_removals',
  {
    number: integer().primaryKey({ autoIncrement: true }),
    collectionId: uuid('collection_id').notNull(),
    templateNumber: integer('template_number').notNull(),
    at: integer().notNull(),
  },
  (t) => [
    index('template_removals_collection').on(t.collectionId, t.number),
    index('template_removals_at').on(t.at),
  ],
)
