/** The analyses of a single request. */
import { describe, expect, it } from 'vitest'
import { readSubmission } from '../../../../src/http/submission/read-submission.ts'
import type { RequestedAnalysis } from '../../../../src/records/analysis.ts'
import { readSettings } from '../../../../src/settings.ts'
import { incoming } from '../../../fixtures/incoming.ts'

/** The only analysis of a payload, as it is read. */
async function requested(
  analysis: object,
  environment: Record<string, string> = {},
): Promise<RequestedAnalysis> {
  const body = JSON.stringify({ analyses: [analysis] })
  const headers = { 'Content-Type': 'application/json' }
  const request = new Request('http://localhost/', { method: 'POST', headers, body })
  const settings = readSettings(environment)
  const { analyses } = await readSubmission(incoming(request), { settings, companyId: null, userId: null })
  return analyses[0]!
}

describe('analysis parameters that are null', () => {
  it.each([
    ['quality', ['threshold_spoofing', 'extract_best_shot', 'extract_action_shot', 'source_media']],
    ['biometry', ['threshold_min', 'threshold_max', 'source_media']],
    [
      'collection',
      ['collection_id', 'decision_count', 'decision_threshold', 'threshold_min', 'threshold_max'],
    ],
  ])('count as missing: %s', async (type, names) => {
    const bare = await requested({ type })
    for (const name of names) expect(await requested({ type, params: { [name]: null } })).toEqual(bare)
    const params = Object.fromEntries(names.map((name) => [name, null]))
    expect(await requested({ type, params })).toEqual(bare)
  })

  it('null for one threshold leaves the other one unchanged', async () => {
    const given = await requested({ type: 'biometry', params: { threshold_min: 0.95 } })
    const params = { threshold_min: 0.95, threshold_max: null }
    expect(await requested({ type: 'biometry', params })).toEqual(given)
    expect(given.band).toEqual({ min: 0.95, max: 0.95 })
  })

  it('null does not hide the same field next to the parameters', async () => {
    const analysis = { type: 'quality', source_media: ['a'], extract_action_shot: true }
    const read = await requested({ ...analysis, params: { source_media: null, extract_action_shot: null } })
    expect(read).toMatchObject({ mediumKeys: ['a'], extractActionShot: true })
  })
})

describe('thresholds for collections', () => {
  const environment = { SVC_COLLECTION_FALSE_HITS_MAX: '0.01' }
  const searchOf = async (params: object, settings: Record<string, string> = environment) =>
    (await requested({ type: 'collection', params }, settings)).search

  it('SVC_COLLECTION_FALSE_HITS_MAX makes the threshold follow the size of the collection', async () => {
    expect(await searchOf({})).toEqual({ collectionId: null, countMax: 10, falseHitsMax: 0.01 })
    const params = { collection_id: '00000000-0000-4000-A000-00000000000A', decision_count: 3 }
    expect(await searchOf(params)).toEqual({
      collectionId: '00000000-0000-4000-a000-00000000000a',
      countMax: 3,
      falseHitsMax: 0.01,
    })
  })

  it.each([{ threshold_min: 0.7 }, { threshold_max: 0.9 }, { decision_threshold: 0 }])(
    'the threshold is the caller’s where one is named: %j',
    async (params) => {
      expect((await searchOf(params))?.falseHitsMax).toBeNull()
    },
  )

  it('a threshold of null counts as missing', async () => {
    expect((await searchOf({ decision_threshold: null, threshold_min: null }))?.falseHitsMax).toBe(0.01)
  })

  it('the threshold does not depend on the collection if SVC_COLLECTION_FALSE_HITS_MAX is 0', async () => {
    expect((await searchOf({}, { SVC_COLLECTION_FALSE_HITS_MAX: '0' }))?.falseHitsMax).toBeNull()
  })

  it('only identification requests have a search', async () => {
    for (const type of ['quality', 'biometry'])
      expect((await requested({ type }, environment)).search).toBeUndefined()
  })
})
