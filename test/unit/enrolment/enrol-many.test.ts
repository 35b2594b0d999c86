import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { EnrolmentDeps } from '../../../src/enrolment/enrol.ts'
import { assignImages, enrolEach } from '../../../src/enrolment/enrol-many.ts'
import { AppError } from '../../../src/errors.ts'
import { openMedium } from '../../../src/media/opened-medium.ts'
import type { CollectionRecord } from '../../../src/records/collection.ts'
import { CollectionStore } from '../../../src/storage/collections/collection-store.ts'
import { PersonStore } from '../../../src/storage/collections/person-store.ts'
import { axisTemplate, madeUpAssessment } from '../../fixtures/assessments.ts'
import { openTestDatabase, type TestDatabase } from '../../fixtures/database.ts'
import { type KeptFolders, keepFolders } from '../../fixtures/kept-folders.ts'
import { madeCohort, templateModelId } from '../../fixtures/templates.ts'

const photo = (key: string) => ({
  key,
  medium: openMedium(Uint8Array.of(0xff, 0xd8, 0xff)),
  originalName: null,
  tags: [],
  metadata: {},
})

describe('enrolment of many persons', () => {
  let opened: TestDatabase
  let kept: KeptFolders
  let deps: EnrolmentDeps
  let collection: CollectionRecord

  beforeEach(async () => {
    opened = await openTestDatabase()
    kept = keepFolders(opened.database)
    kept.assessor.look = async () => madeUpAssessment({ vector: axisTemplate(kept.assessor.looks) })
    deps = {
      ...kept.parts,
      receiving: { ...kept.parts, assessor: kept.assessor },
      cohort: madeCohort(
        'cohort',
        [60, 62, 64].map((axis) => axisTemplate(axis)),
        templateModelId,
      ),
      gate: 'record',
      acceptedTypes: ['image/jpeg'],
      persons: new PersonStore(opened.database),
      findAlike: async () => [],
      onError() {},
    }
    const companyId = await kept.company('company')
    const times = { createdAtMs: kept.clock.nowMs, updatedAtMs: kept.clock.nowMs }
    collection = { id: crypto.randomUUID(), companyId, alias: 'blacklist', metadata: {}, ...times }
    await new CollectionStore(opened.database).insert(collection)
  })
  afterEach(() => opened.close())

  /** Enrols a, b and c; the photo of one of them fails. */
  const enrol = (failing: number, failure: unknown) => {
    const look = kept.assessor.look
    kept.assessor.look = async (...asked) => {
      if (kept.assessor.looks === failing) throw failure
      return look(...asked)
    }
    const persons = ['a', 'b', 'c'].map((key) => ({ metadata: { key }, images: [photo(key)] }))
    return enrolEach(deps, collection, persons, {})
  }
  const stored = async () =>
    Number((await opened.client.execute('select count(*) as n from persons')).rows[0]!.n)

  it.each([
    [1, ['refused', 'b', 'c']],
    [3, ['a', 'b', 'refused']],
  ])('a refused photo does not affect other persons: number %i', async (failing, expected) => {
    const results = await enrol(failing, new AppError('media_unreadable'))
    expect(results.map(({ person }) => person?.metadata.key ?? 'refused')).toEqual(expected)
    expect(results[failing - 1]).toEqual({
      person: null,
      error: expect.objectContaining({ code: 'media_unreadable' }),
      imageKeys: [['a', 'b', 'c'][failing - 1]],
    })
    expect(await stored()).toBe(2)
  })

  it.each([
    ['an overload', new AppError('overloaded')],
    ['a bug', new TypeError('bug')],
  ])('%s fails the call while nobody is stored, and only its person afterwards', async (_, failure) => {
    await expect(enrol(1, failure)).rejects.toBe(failure)
    expect(await stored()).toBe(0)
    const results = await enrol(kept.assessor.looks + 2, failure)
    expect(results.map(({ person }) => person?.metadata.key ?? 'failed')).toEqual(['a', 'failed', 'c'])
    expect(results[1]).toMatchObject({ error: failure, imageKeys: ['b'] })
    expect(await stored()).toBe(2)
  })

  it('each photo belongs to exactly one person', () => {
    const assign = (...names: string[][]) =>
      assignImages(
        names.map((imageKeys) => ({ metadata: {}, imageKeys })),
        [photo('a'), photo('b'), photo('c')],
      ).map(({ images }) => images.map(({ key }) => key))
    expect(assign(['b'], ['c', 'a'])).toEqual([['b'], ['c', 'a']])
    const refused = expect.objectContaining({ code: 'value_invalid' })
    expect(() => assign(['a'], ['b'])).toThrow(refused)
    expect(() => assign(['a', 'b'], ['c', 'a'])).toThrow(refused)
    expect(() => assign(['a', 'b'], ['c', 'd'])).toThrow(refused)
  })
})
