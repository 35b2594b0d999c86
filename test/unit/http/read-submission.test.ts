/** What a single request asks of its analyses. */
import { describe, expect, it } from 'vitest'
import { readSubmission } from '../../../src/http/full/read-submission.ts'
import type { RequestedAnalysis } from '../../../src/records/analysis.ts'
import { readSettings } from '../../../src/settings.ts'
import { incoming } from '../../fixtures/incoming.ts'

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

describe('parameters of an analysis that are null', () => {
  it.each([
    ['quality', ['threshold_spoofing', 'extract_best_shot', 'extract_action_shot', 'source_media']],
    ['biometry', ['threshold_min', 'threshold_max', 'source_media']],
    [
      'collection',
      ['collection_id', 'decision_count', 'decision_threshold', 'threshold_min', 'threshold_max'],
    ],
  ])('count as not given: %s', async (type, names) => {
    const bare = await requested({ type })
    for (const name of names) expect(await requested({ type, params: { [name]: null } })).toEqual(bare)
    const params = Object.fromEntries(names.map((name) => [name, null]))
    expect(await requested({ type, params })).toEqual(bare)
  })

  it('leave the other bound as it is given', async () => {
    const given = await requested({ type: 'biometry', params: { threshold_min: 0.95 } })
    const params = { threshold_min: 0.95, threshold_max: null }
    expect(await requested({ type: 'biometry', params })).toEqual(given)
    expect(given.band).toEqual({ min: 0.95, max: 0.95 })
  })

  it('do not hide what stands beside the parameters', async () => {
    const analysis = { type: 'quality', source_media: ['a'], extract_action_shot: true }
    const read = await requested({ ...analysis, params: { source_media: null, extract_action_shot: null } })
    expect(read).toMatchObject({ mediumKeys: ['a'], extractActionShot: true })
  })
})
