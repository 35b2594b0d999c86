/** The search index on a real database: two replicas agree with an exhaustive comparison. */
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { GallerySync } from '../../../src/enrolment/gallery-sync.ts'
import { Gallery } from '../../../src/gallery/gallery.ts'
import { calmRefreshes, snapshotMin } from '../../../src/gallery/snapshot-manager.ts'
import { galleryFiles } from '../../../src/platform/gallery-files.ts'
import { CollectionStore } from '../../../src/storage/collections/collection-store.ts'
import { PersonStore } from '../../../src/storage/collections/person-store.ts'
import { TemplateStore } from '../../../src/storage/collections/template-store.ts'
import { openTestDatabase, type TestDatabase } from '../../fixtures/database.ts'
import {
  anyPoint,
  bruteForce,
  generator,
  searchIn,
  templateNear,
  testKernel,
} from '../../fixtures/gallery.ts'
import { keepFolders } from '../../fixtures/kept-folders.ts'
import { templateLength } from '../../fixtures/templates.ts'

const models = 'network cohort'

describe('a gallery on the database', () => {
  let kernel: WebAssembly.Module
  let opened: TestDatabase
  let persons: PersonStore
  let collections: CollectionStore
  let templates: TemplateStore
  let collection: string
  const random = generator(5)
  const troubles: unknown[] = []

  beforeAll(async () => {
    kernel = await testKernel()
  })
  beforeEach(async () => {
    opened = await openTestDatabase()
    persons = new PersonStore(opened.database)
    collections = new CollectionStore(opened.database)
    templates = new TemplateStore(opened.database, models)
    const companyId = await keepFolders(opened.database).company('One')
    collection = crypto.randomUUID()
    const record = { id: collection, companyId, alias: 'a', metadata: {}, createdAtMs: 1, updatedAtMs: 1 }
    await collections.insert(record)
  })
  afterEach(() => opened.close())

  /** Rows as enrolment writes them, without photos on disk. */
  async function enrol(count: number, near = anyPoint(random)): Promise<void> {
    const personId = crypto.randomUUID()
    const facts = { md5: '', size: 1, width: 1, height: 1, mimeType: 'image/jpeg' }
    const enrolled = Array.from({ length: count }, () => ({
      image: {
        id: crypto.randomUUID(),
        tags: [],
        originalName: null,
        metadata: {},
        sample: null,
        files: null,
        createdAtMs: 1,
        updatedAtMs: 1,
        original: facts,
        thumbnail: facts,
      },
      template: templateNear(near, 0.04, random),
      models,
    }))
    const head = { id: personId, collectionId: collection, companyId: '', metadata: {} }
    await persons.insert({ ...head, createdAtMs: 1, updatedAtMs: 1 }, enrolled, async () => {})
  }

  /** All photos again, with the same templates. */
  async function double(): Promise<void> {
    await opened.client.batch([
      `insert into person_images select randomblob(16), person_id, tags, original_name, original, thumbnail, sample,
       metadata, created_at, updated_at from person_images`,
      `insert into enrolled_templates (image_id, person_id, collection_id, models, vector, threshold, scale)
       select i.id, i.person_id, t.collection_id, t.models, t.vector, t.threshold, t.scale from person_images i
       join enrolled_templates t on t.number = (select min(number) from enrolled_templates where person_id = i.person_id)
       where i.id not in (select image_id from enrolled_templates)`,
      'update collections set templates = templates * 2',
    ])
  }

  const replica = (snapshots = galleryFiles(path.join(opened.folder, 'gallery'))) =>
    new Gallery({
      templateLength,
      source: templates,
      kernel,
      snapshots,
      models,
      memoryMaxBytes: 2 ** 30,
      scanMax: 100,
      pause: async () => {},
      nowMs: () => Date.now(),
      onNoMemory: (facts) => troubles.push(facts),
      onError: (error) => troubles.push(error),
    })

  it('a search equals an exhaustive comparison while persons are added and removed', async () => {
    for (let n = 0; n < 150; n++) await enrol(4)
    const [one, other] = [replica(), replica()]
    const point = anyPoint(random)
    const probe = templateNear(point, 0.01, random)
    const agree = async () => {
      const all = await templates.added(collection, 0, 100_000)
      const expected = bruteForce(all, probe, 5)
      expect(await searchIn(one, collection, probe, 5)).toEqual(expected)
      expect(await searchIn(other, collection, probe, 5)).toEqual(expected)
      return expected
    }
    const before = await agree()
    await enrol(2, point)
    const [best] = await agree()
    expect(before.map(({ subjectId }) => subjectId)).not.toContain(best!.subjectId)
    await persons.delete(collection, [best!.subjectId], 1, async () => {})
    expect(await agree()).toEqual(before)
    await collections.beginDeletion({ id: collection }, 1)
    expect(await one.search(collection, probe, 5)).toBeNull()
    expect(troubles).toEqual([])
  })

  it('a gallery starts from a snapshot, which the first removal deletes', async () => {
    await enrol(snapshotMin / 32)
    for (let n = 0; n < 5; n++) await double()
    const folder = path.join(opened.folder, 'gallery')
    const first = replica()
    const probe = templateNear(anyPoint(random), 0.01, random)
    await searchIn(first, collection, probe, 1)
    for (let look = 0; look < calmRefreshes + 2; look++) await first.refresh()
    expect(await readdir(folder)).toEqual([`${collection}.index`])
    await enrol(1)
    const second = replica()
    const [best] = await searchIn(second, collection, probe, 1)
    const all = await templates.added(collection, 0, 100_000)
    expect([best]).toEqual(bruteForce(all, probe, 1))
    await persons.delete(collection, [best!.subjectId], 1, async () => {})
    const keeper = new GallerySync({
      gallery: second,
      renewal: { templates, nowMs: () => 1, onProgress() {} },
      pollMs: 5,
      onError: (error: unknown) => troubles.push(error),
    } as unknown as ConstructorParameters<typeof GallerySync>[0])
    keeper.start()
    for (let i = 0; i < 200 && (await readdir(folder)).length > 0; i++)
      await new Promise((resolve) => setTimeout(resolve, 10))
    await keeper.stop()
    expect([await readdir(folder), troubles]).toEqual([[], []])
  })
})
