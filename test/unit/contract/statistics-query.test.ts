import { describe, expect, it } from 'vitest'
import { parseStatisticsQuery } from '../../../src/contract/full/statistics-query.ts'
import { AppError } from '../../../src/errors.ts'
import {
  emptyLatencies,
  latencyBin,
  latencyBounds,
  latencyQuantile,
  scoreBin,
} from '../../../src/records/statistics.ts'
import { splitRange } from '../../../src/records/time-spans.ts'

const nowMs = Date.UTC(2026, 10, 22, 17, 30)
const iso = (ms: number) => new Date(ms).toISOString()
const parse = (search: string) => parseStatisticsQuery(new URLSearchParams(search), nowMs).query
const range = (search: string) => {
  const { fromMs, toMs } = parse(search).range
  return [iso(fromMs), iso(toMs)]
}
const refusal = (search: string) => {
  try {
    parse(search)
    return null
  } catch (error) {
    return error instanceof AppError && [error.code, error.message, error.details]
  }
}

describe('the query of statistics', () => {
  it('statistics are grouped by type unless the query says otherwise', () => {
    expect([...parse('').groupings]).toEqual(['type'])
    expect([...parse('group_by=').groupings]).toEqual([])
    expect([...parse('group_by=company_id,%20day&group_by=system_resolution').groupings]).toEqual([
      'company',
      'day',
      'resolution',
    ])
    expect(refusal('group_by=days')).toEqual([
      'value_invalid',
      "Unknown param 'days'; did you mean 'day'?; group_by may name company_id, type, system_resolution, day, hour",
      { key_path: 'group_by' },
    ])
    expect(refusal('group_by=constructor')).toMatchObject({ 0: 'value_invalid' })
    expect(refusal('group_by=day,hour')).toMatchObject({ 0: 'value_invalid' })
  })

  it('ranges are rounded outwards to full hours, and end now', () => {
    expect(range('')).toEqual(['2000-01-01T00:00:00.000Z', '2026-11-22T18:00:00.000Z'])
    expect(range('time_created.min=2026-11-20T10:20:00Z&time_created.max=2026-11-21T10:00:00Z')).toEqual([
      '2026-11-20T10:00:00.000Z',
      '2026-11-21T11:00:00.000Z',
    ])
    expect(range('time_created.min=1&time_created.max=9999999999')).toEqual([
      '2000-01-01T00:00:00.000Z',
      '2026-11-22T18:00:00.000Z',
    ])
    expect(range('group_by=hour')).toEqual(['2026-11-21T18:00:00.000Z', '2026-11-22T18:00:00.000Z'])
    expect(range('group_by=day')).toEqual(['2026-10-23T00:00:00.000Z', '2026-11-22T18:00:00.000Z'])
    expect(refusal('group_by=hour&time_created.min=2026-09-01')).toEqual([
      'value_invalid',
      'Statistics by hour cover at most 31 days',
      { key_path: 'time_created.min' },
    ])
    expect(refusal('group_by=day&time_created.min=2020-09-01')).toMatchObject({ 0: 'value_invalid' })
  })

  it('statistics are filtered by company, type and verdict', () => {
    const id = '0b2f6c1e-9d3a-4c57-8e21-5f0a7d94c3b8'
    expect(
      parse(`company_id=${id.toUpperCase()}&type=quality,BIOMETRY&system_resolution=success`),
    ).toMatchObject({
      companyIds: [id],
      types: ['liveness', 'verification'],
      resolutions: ['SUCCESS'],
    })
    expect(parse('type=null').types).toEqual([])
    expect(parse('')).toMatchObject({ companyIds: null, types: null, resolutions: null })
    expect(refusal('type.exclude=quality')).toEqual([
      'value_invalid',
      "Unknown param 'type.exclude'; did you mean 'type'?",
      { key_path: 'type.exclude' },
    ])
    expect(refusal('system_resolution=PROCESSING')).toMatchObject({ 0: 'value_invalid' })
    expect(refusal('time_created=1')).toMatchObject({ 0: 'value_invalid' })
  })
})

describe('histograms', () => {
  it('latencies fall between the bounds of their bins', () => {
    for (const ms of [0, 9, 10, 13, 14, 999, 3_600_000, 1e9]) {
      const bin = latencyBin(ms)
      expect(latencyBounds[bin]).toBeLessThanOrEqual(ms)
      expect(latencyBounds[bin + 1] ?? Number.POSITIVE_INFINITY).toBeGreaterThan(ms)
    }
    expect(latencyBin(-5)).toBe(0)
    expect(latencyBounds.at(-1)).toBeGreaterThan(3_600_000 / Math.SQRT2)
  })

  it('scores fall into twenty bins', () => {
    expect([0, 0.0499, 0.05, 0.5, 0.999, 1, -0.1, 2].map(scoreBin)).toEqual([0, 0, 1, 10, 19, 19, 0, 19])
  })

  it('quantiles are within a bin of the latencies themselves', () => {
    const latencies = Array.from({ length: 1000 }, (_, i) => 50 + i)
    const bins = emptyLatencies()
    for (const ms of latencies) bins[latencyBin(ms)]!++
    for (const share of [0.5, 0.9, 0.95, 0.99])
      expect(latencyQuantile(bins, share)! / latencies[Math.ceil(share * 1000) - 1]!).toBeCloseTo(1, 0)
    expect(latencyQuantile(emptyLatencies(), 0.5)).toBeNull()
  })

  it('a range has as few spans as possible, which cover it once', () => {
    const whole = { fromMs: Date.UTC(2025, 11, 30, 22), toMs: Date.UTC(2026, 3, 2, 3) }
    const { hour, day, month } = splitRange(whole, 'month')
    expect([hour.length, day.length, month]).toEqual([5, 2, [12 * 2026, 12 * 2026 + 1, 12 * 2026 + 2]])
    expect(splitRange({ fromMs: whole.toMs, toMs: whole.fromMs }, 'month')).toEqual({
      hour: [],
      day: [],
      month: [],
    })
  })
})
