/** Enrolment and withdrawal are atomic, and searches see exactly the enrolled templates. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { TemplateResult } from '../../../src/assess/assessment.ts'
import type { Cohort } from '../../../src/decide/cohort.ts'
import { normalizeTemplate } from '../../../src/decide/comparison.ts'
import { type EnrolmentDeps, enrolImages, enrolPerson } from '../../../src/enrolment/enrol.ts'
import { type RenewalDeps, renewTemplates } from '../../../src/enrolment/renew-templates.ts'
import {
  removeCollection,
  removeCollections,
  removeImage,
  removePerson,
  type WithdrawalDeps,
} from '../../../src/enrolment/withdraw.ts'
import { AppError } from '../../../src/errors.ts'
import { openMedium } from '../../../src/media/opened-medium.ts'
import { type CollectionRecord, enrolmentModels, type PersonRecord } from '../../../src/records/collection.ts'
import { CollectionStore } from '../../../src/storage/collections/collection-store.ts'
import { PersonStore } from '../../../src/storage/collections/person-store.ts'
import { TemplateStore } from '../../../src/storage/collections/template-store.ts'
import { axisTemplate, madeUpAssessment } from '../../fixtures/assessments.ts'
import { openTestDatabase, type TestDatabase } from '../../fixtures/database.ts'
import { type KeptFolders, keepFolders } from '../../fixtures/kept-folders.ts'
import { idBytes } from '../../fixtures/stored-words.ts'
import { madeCohort, templateModelId } from '../../fixtures/templates.ts'

const cohortOf = (id: string, count = 3, network = templateModelId): Cohort =>
  madeCohort(
    id,
    Array.from({ length: count }, (_, member) => axisTemplate(60 + member * 2, member / 10)),
    network,
  )

describe('enrolment', () => {
  let opened: TestDatabase
  let kept: KeptFolders
  let parts: EnrolmentDeps & WithdrawalDeps
  const onError = (error: unknown) => void troubles.push(error)
  const troubles: unknown[] = []
  let templates: TemplateStore
  let collection: CollectionRecord
  let withdrawn = 0

  const models = enrolmentModels(cohortOf('cohort-a'))

  beforeEach(async () => {
    opened = await openTestDatabase()
    kept = keepFolders(opened.database)
    withdrawn = 0
    troubles.length = 0
    kept.assessor.look = async () => madeUpAssessment({ vector: axisTemplate(kept.assessor.looks) })
    templates = new TemplateStore(opened.database, models)
    parts = {
      ...kept.parts,
      receiving: { ...kept.parts, assessor: kept.assessor },
      cohort: cohortOf('cohort-a'),
      gate: 'record',
      acceptedTypes: ['image/jpeg'],
      collections: new CollectionStore(opened.database),
      persons: new PersonStore(opened.database),
      findAlike: async () => [],
      onWithdrawn: () => void withdrawn++,
      onError,
    }
    collection = await newCollection('blacklist')
  })
  afterEach(() => opened.close())

  async function newCollection(alias: string): Promise<CollectionRecord> {
    const companyId = await kept.company(alias)
    const times = { createdAtMs: kept.clock.nowMs, updatedAtMs: kept.clock.nowMs }
    const record = { id: crypto.randomUUID(), companyId, alias, metadata: {}, ...times }
    await parts.collections.insert(record)
    return record
  }

  const photo = (key = 'photo') => ({
    key,
    medium: openMedium(Uint8Array.of(0xff, 0xd8, 0xff)),
    originalName: null,
    tags: [],
    metadata: {},
  })
  const enrol = (photos = 1, into = collection): Promise<PersonRecord> =>
    enrolPerson(
      parts,
      into,
      {
        metadata: {},
        images: Array.from({ length: photos }, (_, n) => photo(`photo${n}`)),
      },
      {},
    ).then(({ person }) => person)
  const housekeeping = () =>
    kept.housekeeping({
      removeCollections: (companyId, told) => removeCollections({ ...parts, onError: told }, companyId),
      onError,
    })
  const numbers = async () => (await templates.added(collection.id, 0, 100)).map(({ number }) => number)
  const counted = async (table: string): Promise<number> =>
    Number((await opened.client.execute(`select count(*) as n from ${table}`)).rows[0]!.n)

  it('a person and its photos have the time of the request, however long they are assessed', async () => {
    const askedAtMs = kept.clock.nowMs
    kept.assessor.look = async () => {
      kept.clock.nowMs += 5000
      return madeUpAssessment({ vector: axisTemplate(1) })
    }
    const { createdAtMs, images } = await enrol(2)
    const times = [createdAtMs, ...images.map((image) => image.createdAtMs)]
    expect(times).toEqual([askedAtMs, askedAtMs, askedAtMs])
  })

  it('enrolment stores photos, files and normalised templates together', async () => {
    const person = await enrol(2)
    const enrolled = await templates.added(collection.id, 0, 100)
    expect(enrolled).toEqual(
      [1, 2].map((axis) => ({
        number: axis,
        subjectId: person.id,
        ...normalizeTemplate(parts.cohort, { modelId: templateModelId, vector: axisTemplate(axis) }),
      })),
    )
    expect(await templates.state(collection.id)).toEqual({ count: 2, removedBefore: 0 })
    expect([...kept.blobs.keys()].length).toBe(4)
    expect(await counted('blob_removals')).toBe(0)
    const images = await templates.imageIds([1, 2])
    expect([...images.values()]).toEqual(person.images.map(({ id }) => id))
    expect(await parts.persons.find(collection.id, person.id)).toEqual(person)
    expect(await templates.added(collection.id, 1, 100)).toEqual(enrolled.slice(1))
    expect(await templates.read(collection.id, [2, 7])).toEqual(enrolled.slice(1))
  })

  it('a photo that is like another person of the collection names that person, not its own', async () => {
    const known = await enrol()
    const [image] = known.images
    const own: string[] = []
    parts.findAlike = async (collectionId, { vector }) => {
      expect(collectionId).toBe(collection.id)
      const found = await templates.added(collectionId, 0, 100)
      own.push(found.find((one) => one.vector.every((value, at) => value === vector[at]))!.subjectId)
      return [own.at(-1)!, known.id, crypto.randomUUID()].map((personId) => ({
        ...{ personId, imageId: image!.id, score: 0.99 },
      }))
    }
    const { person, alike } = await enrolPerson(
      parts,
      collection,
      { metadata: {}, images: [photo('a'), photo('b')] },
      {},
    )
    expect(own).toEqual([person.id, person.id])
    const named = [{ person: known, imageId: image!.id, score: 0.99 }]
    expect([...alike]).toEqual(person.images.map(({ id }) => [id, named]))
    const added = await enrolImages(parts, person, [photo()], {})
    expect([...added.alike]).toEqual([[added.images[0]!.id, named]])
    const failure = new AppError('database_failed')
    parts.findAlike = () => Promise.reject(failure)
    expect(await enrolImages(parts, person, [photo()], {})).toMatchObject({ images: [{}], alike: new Map() })
    expect(troubles).toEqual([failure])
  })

  it('enrolment stores nothing of a person with a refused photo or failed files', async () => {
    const refusals = [
      madeUpAssessment({ faceHeights: [] }),
      madeUpAssessment({ faceHeights: [300, 280], vector: axisTemplate(1) }),
      madeUpAssessment({ template: { status: 'too_small' } }),
    ]
    const look = kept.assessor.look
    for (const refusal of refusals) {
      const before = kept.assessor.looks
      kept.assessor.look = async (...asked) => (kept.assessor.looks === before + 2 ? refusal : look(...asked))
      await expect(enrol(2)).rejects.toMatchObject({ code: 'value_invalid', details: { key_path: 'photo1' } })
    }
    kept.assessor.look = look
    const put = kept.blobs.put
    kept.blobs.put = () => Promise.reject(new AppError('external_failed'))
    await expect(enrol()).rejects.toMatchObject({ code: 'external_failed' })
    kept.blobs.put = put
    for (const table of ['persons', 'person_images', 'enrolled_templates'])
      expect(await counted(table)).toBe(0)
    expect([...kept.blobs.keys()]).toEqual([])
    expect(await templates.state(collection.id)).toEqual({ count: 0, removedBefore: 0 })
  })

  it('enrolment adds nobody to a collection that was removed meanwhile', async () => {
    const person = await enrol()
    await removeCollection(parts, collection.id)
    await expect(enrol()).rejects.toMatchObject({ code: 'not_found' })
    await expect(enrolImages(parts, person, [photo()], {})).rejects.toMatchObject({ code: 'not_found' })
    expect([...kept.blobs.keys()]).toEqual([])
  })

  it('template numbers are never reused, and removals are logged', async () => {
    const [first, second] = [await enrol(), await enrol(2)]
    await removePerson(parts, collection.id, second.id)
    await enrol()
    expect(await numbers()).toEqual([1, 4])
    const removed = await templates.removed(collection.id, 0, 100)
    expect(removed.map(({ templateNumber }) => templateNumber)).toEqual([2, 3])
    expect((await templates.removed(collection.id, removed[0]!.number, 100)).length).toBe(1)
    const placed = await parts.persons.findImageToRemove(first.images[0]!.id)
    await removeImage(parts, placed!)
    expect(await numbers()).toEqual([4])
    expect(await templates.state(collection.id)).toEqual({ count: 1, removedBefore: 0 })
    expect(withdrawn).toBe(2)
    expect((await parts.persons.find(collection.id, first.id))!.images).toEqual([])
    // A template is removed only once.
    await removePerson(parts, collection.id, second.id)
    expect(await templates.state(collection.id)).toEqual({ count: 1, removedBefore: 0 })
  })

  it('the removal log says where it starts', async () => {
    const [first, second, third] = [await enrol(), await enrol(), await enrol()]
    await removePerson(parts, collection.id, first.id)
    await removePerson(parts, collection.id, second.id)
    kept.clock.nowMs += 10
    await removePerson(parts, collection.id, third.id)
    await templates.forgetRemovals(kept.clock.nowMs)
    expect(await templates.state(collection.id)).toEqual({ count: 0, removedBefore: 3 })
    expect(
      (await templates.removed(collection.id, 0, 100)).map(({ templateNumber }) => templateNumber),
    ).toEqual([3])
  })

  it('a removed collection is inaccessible at once and emptied step by step', async () => {
    const other = await newCollection('other')
    await enrol(1, other)
    for (let n = 0; n < 101; n++) await enrol()
    await removeCollection(parts, collection.id)
    expect(await parts.collections.find(collection.id)).toBeNull()
    expect(await templates.state(collection.id)).toBeNull()
    expect(await counted('persons')).toBe(52)
    // The alias is free while the content is being removed.
    await parts.collections.insert({ ...collection, id: crypto.randomUUID() })
    await removeCollections(parts, null)
    expect([await counted('collections'), await counted('persons')]).toEqual([2, 1])
    expect([...kept.blobs.keys()].every((key) => key.startsWith(other.id))).toBe(true)
    await removeCollections(parts, other.companyId)
    expect([...kept.blobs.keys()]).toEqual([])
  })

  it('a collection is removed with its company', async () => {
    await enrol()
    await kept.parts.companies.beginDeletion(collection.companyId, kept.clock.nowMs)
    await housekeeping().beat()
    expect(await kept.parts.companies.find(collection.companyId)).toBeNull()
    expect([await counted('enrolled_templates'), [...kept.blobs.keys()]]).toEqual([0, []])
  })

  it('a collection that cannot be removed does not block others, and is retried', async () => {
    const other = await newCollection('other')
    await enrol()
    await enrol(1, other)
    const ids = parts.persons.listIds.bind(parts.persons)
    parts.persons.listIds = (id, ...more) =>
      id === collection.id ? Promise.reject(new AppError('database_failed')) : ids(id, ...more)
    for (const { companyId } of [collection, other]) {
      await kept.parts.companies.beginDeletion(companyId, kept.clock.nowMs)
    }
    await housekeeping().beat()
    expect(await kept.parts.companies.find(other.companyId)).toBeNull()
    expect(await kept.parts.companies.find(collection.companyId)).not.toBeNull()
    expect(troubles.length).toBeGreaterThan(0)
    parts.persons.listIds = ids
    await housekeeping().beat()
    expect(await kept.parts.companies.find(collection.companyId)).toBeNull()
  })

  it('a person that cannot be removed stops no other one, nor the folders of the company', async () => {
    const [stuck] = [await enrol()]
    for (let n = 0; n < 60; n++) await enrol()
    const { companyId } = collection
    const folder = await kept.folder(companyId)
    await opened.client.execute(`create trigger stuck before delete on persons
      when old.id = ${idBytes(stuck!.id)} begin select raise(abort, 'stuck'); end`)
    // The call that removes it succeeds, since the collection is gone for callers.
    await removeCollection(parts, collection.id)
    await kept.parts.companies.beginDeletion(companyId, kept.clock.nowMs)
    const clean = housekeeping()
    await clean.beat()
    expect([await counted('persons'), await counted('folders'), clean.failedRemovals]).toEqual([1, 0, 1])
    expect(await kept.parts.folders.find(folder.id)).toBeNull()
    expect(troubles.length).toBeGreaterThan(0)
    expect(await counted('companies')).toBeGreaterThan(0)
    await opened.client.execute('drop trigger stuck')
    await clean.beat()
    expect([await counted('persons'), await counted('collections'), clean.failedRemovals]).toEqual([0, 0, 0])
    expect(await kept.parts.companies.find(companyId)).toBeNull()
    expect([...kept.blobs.keys()]).toEqual([])
  })

  it('a person whose rows are damaged is removed with its files, by a call and with its collection', async () => {
    const persons = [await enrol(2), await enrol(2)]
    await opened.client.executeMultiple(`
      update person_images set tags = '{', metadata = '{', thumbnail = '{', sample = '{';
      update person_images set original = '{' where id = ${idBytes(persons[0]!.images[0]!.id)};
      update persons set metadata = '{'`)
    const [first, second] = persons as [PersonRecord, PersonRecord]
    const image = (await parts.persons.findImageToRemove(first.images[0]!.id))!
    await removeImage(parts, image)
    const filesOf = ({ images }: PersonRecord) =>
      kept.blobs.keys().filter((key) => images.some(({ id }) => key.includes(id)))
    expect([filesOf(first).length, filesOf(second).length]).toEqual([2, 4])
    await removePerson(parts, collection.id, first.id)
    expect([filesOf(first).length, filesOf(second).length]).toEqual([0, 4])
    await removeCollection(parts, collection.id)
    expect([await removeCollections(parts, null), troubles]).toEqual(['all', []])
    for (const table of ['persons', 'person_images', 'enrolled_templates', 'collections', 'blob_removals'])
      expect([table, await counted(table)]).toEqual([table, 0])
    expect(kept.blobs.keys()).toEqual([])
  })

  it('the removal of collections pauses for other housekeeping', async () => {
    for (let n = 0; n < 120; n++) await enrol()
    await parts.collections.beginDeletion({ id: collection.id }, kept.clock.nowMs)
    const nowMs = () => {
      kept.clock.nowMs += 3000
      return kept.clock.nowMs
    }
    expect(await removeCollections({ ...parts, nowMs }, null)).toBe('some')
    expect(await counted('persons')).toBeGreaterThan(0)
    expect(await removeCollections(parts, null)).toBe('all')
    expect([await counted('persons'), await counted('collections')]).toEqual([0, 0])
  })

  it('removes a collection whose id is the alias of another one', async () => {
    await parts.collections.insert({ ...collection, id: crypto.randomUUID(), alias: collection.id })
    await removeCollection(parts, collection.id)
    expect(await counted('collections')).toBe(1)
  })

  describe('after a change of the models', () => {
    const another = (id: string) => cohortOf(id, 3, 'another-network')
    const ofAnother = (vector: Float32Array): TemplateResult => ({
      status: 'extracted',
      template: { modelId: 'another-network', vector },
    })
    const storeOf = (cohort: Cohort) => new TemplateStore(opened.database, enrolmentModels(cohort))
    const renew = async (cohort: Cohort, signal = new AbortController().signal) => {
      const unusable: string[] = []
      const progress: number[] = []
      const failed: number[] = []
      const renewal: RenewalDeps = {
        templates: storeOf(cohort),
        assessor: kept.assessor,
        blobs: kept.blobs,
        cohort,
        nowMs: () => kept.clock.nowMs,
        onUnusable: ({ imageId }) => unusable.push(imageId),
        onProgress: (renewed) => progress.push(renewed),
        onFailed: (count) => void failed.push(count),
      }
      await renewTemplates(renewal, signal)
      return { unusable, progress, failed }
    }

    it('templates are normalised against a new cohort without reading the photos', async () => {
      const person = await enrol(2)
      const looks = kept.assessor.looks
      const cohort = cohortOf('cohort-b', 5)
      const store = storeOf(cohort)
      expect(await store.added(collection.id, 0, 9)).toEqual([])
      expect(await store.completeness(collection.id)).toBe('being_renewed')
      const { progress } = await renew(cohort)
      expect(await store.added(collection.id, 0, 9)).toEqual(
        [1, 2].map((axis) => ({
          number: axis + 2,
          subjectId: person.id,
          ...normalizeTemplate(cohort, { modelId: templateModelId, vector: axisTemplate(axis) }),
        })),
      )
      expect([kept.assessor.looks, progress]).toEqual([looks, [2]])
      expect(await store.completeness(collection.id)).toBe('complete')
      expect(await numbers()).toEqual([])
      expect((await store.removed(collection.id, 0, 9)).length).toBe(2)
      expect((await store.state(collection.id))!.count).toBe(2)
      expect((await renew(cohort)).progress).toEqual([])
    })

    it('templates of a new network are extracted from the photos; a collection where one fails is incomplete', async () => {
      await enrol()
      const lost = await enrol()
      kept.assessor.look = async () => {
        if (kept.assessor.looks === 4) throw new AppError('media_unreadable')
        return madeUpAssessment({ template: ofAnother(axisTemplate(9)) })
      }
      const { unusable } = await renew(another('cohort-a'))
      const store = storeOf(another('cohort-a'))
      const renewed = await store.added(collection.id, 0, 9)
      expect(renewed.map(({ vector }) => vector)).toEqual([axisTemplate(9)])
      expect(unusable).toEqual(lost.images.map(({ id }) => id))
      expect(await store.completeness(collection.id)).toBe('incomplete')
      // It is not retried.
      expect((await renew(another('cohort-a'))).progress).toEqual([])
      // The old vector is not mistaken for one of the new network when the cohort changes too.
      kept.assessor.look = async () => madeUpAssessment({ faceHeights: [] })
      expect((await renew(another('cohort-b'))).unusable).toEqual(unusable)
      expect(await storeOf(another('cohort-b')).completeness(collection.id)).toBe('incomplete')
      await renew(another('cohort-a'))
      await removePerson(parts, collection.id, lost.id)
      expect(await store.completeness(collection.id)).toBe('complete')
    })

    it.each([
      ['once', 1, 'renewed'],
      ['twice', 2, 'given up'],
    ])('a photo whose assessment crashed or took too long %s (%i) is %s', async (_, failures, end) => {
      const person = await enrol()
      let failed = 0
      kept.assessor.look = async () => {
        if (failed++ < failures) throw new AppError('media_unprocessable')
        return madeUpAssessment({ template: ofAnother(axisTemplate(9)) })
      }
      const { unusable } = await renew(another('cohort-a'))
      expect(unusable).toEqual(end === 'renewed' ? [] : person.images.map(({ id }) => id))
    })

    it('a photo that takes too long while the server ends is left to the next start', async () => {
      await enrol()
      const ending = new AbortController()
      kept.assessor.look = async () => {
        ending.abort()
        throw new AppError('media_unprocessable')
      }
      const looks = kept.assessor.looks
      expect((await renew(another('cohort-a'), ending.signal)).unusable).toEqual([])
      expect(kept.assessor.looks).toBe(looks + 1)
      expect(await storeOf(another('cohort-a')).completeness(collection.id)).toBe('being_renewed')
    })

    it.each(['overloaded', 'engine_unavailable'] as const)(
      'goes on later where it was when it met %s',
      async (code) => {
        await enrol(3)
        kept.assessor.look = async () => {
          if (kept.assessor.looks === 5) throw new AppError(code, '')
          return madeUpAssessment({ template: ofAnother(axisTemplate(9)) })
        }
        const store = storeOf(another('cohort-a'))
        const renewing = () => renew(another('cohort-a'))
        await expect(renewing()).rejects.toMatchObject({ code })
        expect((await store.added(collection.id, 0, 9)).length).toBe(1)
        expect(await store.completeness(collection.id)).toBe('being_renewed')
        expect((await renewing()).unusable).toEqual([])
        expect((await store.added(collection.id, 0, 9)).length).toBe(3)
      },
    )

    it('a photo that cannot be read, or a row, stops no other template, and is tried again', async () => {
      const [unread] = (await enrol(4)).images
      kept.assessor.look = async () => madeUpAssessment({ template: ofAnother(axisTemplate(9)) })
      await opened.client.execute(
        `update person_images set tags = '{' where id = (select image_id from enrolled_templates where number = 2)`,
      )
      const read = kept.blobs.read
      kept.blobs.read = (key) =>
        key === unread!.files!.original ? Promise.reject(new AppError('external_failed')) : read(key)
      const { progress, unusable, failed } = await renew(another('cohort-a'))
      expect([progress, unusable, failed]).toEqual([[2], [], [2]])
      const store = storeOf(another('cohort-a'))
      expect(await store.completeness(collection.id)).toBe('being_renewed')
      kept.blobs.read = read
      await opened.client.execute(`update person_images set tags = '[]'`)
      expect((await renew(another('cohort-a'))).progress).toEqual([2])
      expect(await store.completeness(collection.id)).toBe('complete')
    })

    it('waits for a store that is away', async () => {
      await enrol(2)
      const away = new AppError('external_failed')
      const blobs = { ...kept.blobs, read: () => Promise.reject(away), check: () => Promise.reject(away) }
      const failed: unknown[] = []
      const renewal: RenewalDeps = {
        ...{ templates: storeOf(another('cohort-a')), assessor: kept.assessor, cohort: another('cohort-a') },
        ...{ blobs, nowMs: () => 1, onUnusable() {}, onProgress() {} },
        onFailed: (count) => failed.push(count),
      }
      await expect(renewTemplates(renewal, new AbortController().signal)).rejects.toBe(away)
      expect(failed).toEqual([])
    })
  })
})
