import { describe, expect, it } from 'vitest'
import { parsePayload } from '../../../../src/contract/full/payload.ts'
import type { AppError } from '../../../../src/errors.ts'
import { checkThresholds } from '../../../../src/http/submission/caller-thresholds.ts'
import { readSettings } from '../../../../src/settings.ts'

const settings = (callerThresholds: string) =>
  readSettings({
    SVC_CALLER_THRESHOLDS: callerThresholds,
    SVC_SPOOFING_THRESHOLD: '0.4',
    SVC_MATCH_THRESHOLD_MIN: '0.8',
    SVC_MATCH_THRESHOLD_MAX: '0.9',
  })

/** `accepted`, or the name and the range in the refusal. */
function told(callerThresholds: string, type: string, params: object): unknown {
  const [analysis] = parsePayload({ analyses: [{ type, params }] }).analyses
  try {
    checkThresholds(analysis!, 1, settings(callerThresholds))
    return 'accepted'
  } catch (error) {
    const { code, details } = error as AppError
    expect(code).toBe('value_invalid')
    return details
  }
}

describe('thresholds of callers', () => {
  it.each([
    ['quality', { threshold_spoofing: 1 }],
    ['biometry', { threshold_min: 0, threshold_max: 0 }],
    ['collection', { decision_threshold: 1 }],
  ])('any threshold is accepted by default: %s', (type, params) => {
    expect(told('', type, params)).toBe('accepted')
    expect(told('any', type, params)).toBe('accepted')
  })

  it.each([
    [
      'quality',
      { threshold_spoofing: 0.41 },
      { key_path: 'analyses.1.params.threshold_spoofing', min: 0, max: 0.4 },
    ],
    ['quality', { threshold_spoofing: 0.4 }, 'accepted'],
    ['quality', { threshold_spoofing: 0 }, 'accepted'],
    ['biometry', { threshold_min: 0.79 }, { key_path: 'analyses.1.params.threshold_min', min: 0.8, max: 1 }],
    ['biometry', { threshold_max: 0.89 }, { key_path: 'analyses.1.params.threshold_max', min: 0.9, max: 1 }],
    ['biometry', { threshold_min: 0.8, threshold_max: 0.9 }, 'accepted'],
    ['biometry', { threshold_min: 1 }, 'accepted'],
    [
      'collection',
      { decision_threshold: 0.81 },
      { key_path: 'analyses.1.params.decision_threshold', min: 0, max: 0.8 },
    ],
    [
      'collection',
      { threshold_max: 0.91 },
      { key_path: 'analyses.1.params.threshold_max', min: 0, max: 0.9 },
    ],
    [
      'collection',
      { threshold_min: 0.81 },
      { key_path: 'analyses.1.params.threshold_min', min: 0, max: 0.8 },
    ],
    ['collection', { decision_threshold: 0.7 }, 'accepted'],
    ['quality', { threshold_replay: 1, threshold_liveness: 0 }, 'accepted'],
    ['quality', {}, 'accepted'],
    ['quality', { threshold_min: 0 }, 'accepted'],
  ])('`stricter` refuses thresholds less strict than the operator’s: %s %j', (type, params, expected) => {
    expect(told('stricter', type, params)).toEqual(expected)
  })

  it.each([
    ['quality', { threshold_spoofing: 0 }, { key_path: 'analyses.1.params.threshold_spoofing' }],
    ['quality', { threshold_liveness: 1 }, { key_path: 'analyses.1.params.threshold_liveness' }],
    ['biometry', { threshold_max: 1 }, { key_path: 'analyses.1.params.threshold_max' }],
    ['collection', { decision_threshold: 0.8 }, { key_path: 'analyses.1.params.decision_threshold' }],
    ['collection', { decision_threshold: null }, 'accepted'],
    ['collection', { decision_count: 3 }, 'accepted'],
  ])('`none` refuses thresholds by name: %s %j', (type, params, expected) => {
    expect(told('none', type, params)).toEqual(expected)
  })
})
