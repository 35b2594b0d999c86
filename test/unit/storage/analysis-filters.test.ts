/** Filters of the folder list on analyses hold of one and the same analysis, or of one and the same medium of it. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { folderFields } from '../../../src/contract/full/list-fields.ts'
import { parseListQuery } from '../../../src/contract/list-query.ts'
import { openMedium } from '../../../src/media/opened-medium.ts'
import type { AnalysisRecord } from '../../../src/records/analysis.ts'
import { collectBatches } from '../../../src/storage/lists/batches.ts'
import { openTestDatabase, type TestDatabase } from '../../fixtures/database.ts'
import { type KeptFolders, keepFolders, quality } from '../../fixtures/kept-folders.ts'

type Verdict = 'SUCCESS' | 'DECLINED' | 'FAILED' | 'PROCESSING'
type Made = readonly [type: 'liveness' | 'verification', verdict: Verdict, atS: number]

const at = Date.UTC(2030, 0, 1) / 1000
const wireTypes = { liveness: 'QUALITY', verification: 'BIOMETRY' }
const stateOf = (verdict: Verdict) => (verdict === 'SUCCESS' || verdict === 'DECLINED' ? 'FINISHED' : verdict)

const untagged = () => ({
  ...{ tags: [] as string[], originalName: null },
  medium: openMedium(new Uint8Array()),
})

/** The analyses of each folder. */
const made: readonly (readonly Made[])[] = [
  [],
  [['liveness', 'SUCCESS', 0]],
  [['verification', 'DECLINED', 5]],
  [
    ['liveness', 'DECLINED', 5],
    ['verification', 'SUCCESS', 5],
  ],
  [
    ['liveness', 'SUCCESS', 0],
    ['verification', 'DECLINED', 9],
  ],
  [
    ['verification', 'FAILED', 2],
    ['liveness', 'SUCCESS', 5],
    ['liveness', 'PROCESSING', 9],
  ],
]

const outcomeOf = (verdict: Verdict): AnalysisRecord['outcome'] => {
  if (verdict === 'PROCESSING') return { status: 'processing' }
  if (verdict === 'FAILED')
    return { status: 'failed', failure: { code: 3002, message: 'no face', mediumId: null } }
  return { status: 'finished', decision: verdict }
}

describe('filters on analyses', () => {
  let opened: TestDatabase
  let kept: KeptFolders
  const ids: string[] = []

  beforeAll(async () => {
    opened = await openTestDatabase()
    kept = keepFolders(opened.database)
    const company = await kept.company('One')
    const base = { ...(await kept.folder(company)), media: [] }
    const { processor } = kept.parts
    for (const analyses of made) {
      const records = analyses.map(([type, verdict, atS]): AnalysisRecord => {
        const media = [untagged(), untagged()]
        const [record] = processor.open(
          processor.plan([{ ...quality, type }], media, () => undefined),
          () => crypto.randomUUID(),
          0,
        )
        const createdAtMs = 1000 * (at + atS)
        return { ...record!, outcome: outcomeOf(verdict), createdAtMs, updatedAtMs: createdAtMs }
      })
      const folder = { ...base, id: crypto.randomUUID(), analyses: records }
      await kept.parts.folders.insert(folder, { eventId: null, nowMs: kept.clock.nowMs }, async () => {})
      ids.push(folder.id)
    }
  })
  afterAll(() => opened.close())

  const list = async (search: string) => {
    const query = parseListQuery(new URLSearchParams(search), folderFields, kept.clock.nowMs)
    const { batches, total } = await kept.parts.folders.list(query, {}, { media: false, analyses: false })
    const found = (await collectBatches(batches)).map(({ id }) => ids.indexOf(id))
    // Another folder, without analyses, lent the others its fields.
    const known = found.filter((place) => place >= 0)
    expect(total).toBe(found.length)
    return known.sort()
  }

  const words: readonly [search: string, holds: (analysis: Made) => boolean][] = [
    ['', () => true],
    ['analyse.type=QUALITY', ([type]) => wireTypes[type] === 'QUALITY'],
    ['analyse.resolution_status=DECLINED', ([, verdict]) => verdict === 'DECLINED'],
    [
      'analyse.resolution_status.exclude=SUCCESS,PROCESSING',
      ([, v]) => v !== 'SUCCESS' && v !== 'PROCESSING',
    ],
    ['analyse.state=FINISHED', ([, verdict]) => stateOf(verdict) === 'FINISHED'],
    [
      'analyse.type=BIOMETRY&analyse.resolution_status=SUCCESS',
      ([type, verdict]) => type === 'verification' && verdict === 'SUCCESS',
    ],
    [
      'analyse.type.exclude=BIOMETRY&analyse.state.exclude=FINISHED',
      ([type, verdict]) => type === 'liveness' && stateOf(verdict) !== 'FINISHED',
    ],
  ]
  const times: readonly [search: string, holds: (analysis: Made) => boolean][] = [
    ['', () => true],
    [`analyse.time_created.min=${at + 5}`, ([, , atS]) => atS >= 5],
    [`analyse.time_created.max=${at + 4}`, ([, , atS]) => atS <= 4],
    [
      `analyse.time_created.min=${at + 1}&analyse.time_created.max=${at + 6}`,
      ([, , atS]) => atS >= 1 && atS <= 6,
    ],
    [`analyse.time_created.min=${at + 6}&analyse.time_created.max=${at + 1}`, () => false],
    [`analyse.time_created=${at + 5}`, ([, , atS]) => atS === 5],
    [`analyse.time_created.exclude=${at + 5}`, ([, , atS]) => atS !== 5],
    [`analyse.time_created=${at},${at + 9}`, ([, , atS]) => atS === 0 || atS === 9],
    [`analyse.time_created=${at + 2},${at + 5}&analyse.time_created.min=${at + 3}`, ([, , atS]) => atS === 5],
    [
      `analyse.time_created.exclude=${at},${at + 9}&analyse.time_created.max=${at + 4}`,
      ([, , atS]) => atS === 2,
    ],
    ['analyse.time_created=null', () => false],
    [`analyse.time_created=null,${at + 5}`, ([, , atS]) => atS === 5],
  ]

  it('filters of words and times hold of one analysis', async () => {
    for (const [word, isWord] of words)
      for (const [time, isTime] of times) {
        const search = [word, time].filter(Boolean).join('&')
        const expected = made.flatMap((analyses, place) =>
          search === '' || analyses.some((analysis) => isWord(analysis) && isTime(analysis)) ? [place] : [],
        )
        expect([search, await list(search)]).toEqual([search, expected])
      }
  })

  it('filters of scores hold of one medium', async () => {
    const [base] = ids
    const folder = { ...(await kept.parts.folders.find(base!))!, id: crypto.randomUUID() }
    const { processor } = kept.parts
    const media = [untagged(), untagged()]
    const [record] = processor.open(
      processor.plan([quality], media, () => undefined),
      () => crypto.randomUUID(),
      0,
    )
    const results = record!.media.map(({ mediumId }, place) => ({
      ...{ mediumId, attack: place === 0 ? 0.125 : 0.875, replay: 0.25, liveness: null, gesture: null },
    }))
    const evidence = { results, worstAttack: 0.875 }
    const analysis = { ...record!, outcome: outcomeOf('DECLINED'), evidence } as AnalysisRecord
    const announcement = { eventId: null, nowMs: kept.clock.nowMs }
    await kept.parts.folders.insert({ ...folder, analyses: [analysis] }, announcement, async () => {})
    ids.push(folder.id)
    const place = ids.length - 1
    for (const [conditions, isFound] of [
      ['confidence_spoofing<0.2', true],
      ['confidence_spoofing>0.8', true],
      ['confidence_spoofing==0.125', true],
      ['confidence_spoofing>0.2,confidence_spoofing<0.8', false],
      ['confidence_spoofing<0.2,confidence_replay<=0.25,confidence_liveness==null', true],
      ['confidence_spoofing==null', false],
      ['constructor!=null', false],
    ] as const) {
      const found = (await list(`results_media_results_data=${conditions}`)).includes(place)
      expect([conditions, found]).toEqual([conditions, isFound])
    }
    expect(await list('results_media_results_data=confidence_spoofing==null')).not.toContain(0)
  })
})
