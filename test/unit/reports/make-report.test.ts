import { describe, expect, it } from 'vitest'
import { failures } from '../../../src/decide/analysis.ts'
import { noReview } from '../../../src/records/folder.ts'
import { formatScore, listNumbers, shorten } from '../../../src/reports/texts.ts'
import { livenessAnalysis, reportedFolder, reportedMedium, reportOf } from '../../fixtures/reports.ts'

describe('reports of folders', () => {
  it('hold scores against thresholds, evidence, networks and the chosen metadata', () => {
    const report = reportOf(reportedFolder())
    expect(report.report.fileName).toContain(report.folder.id)
    expect(report.folder).toMatchObject({
      systemResolution: 'OPERATOR_REQUIRED',
      meaning: 'At least one analysis needs the decision of an operator.',
      operatorStatus: 'SUCCESS',
      // What stands, and whose it is.
      ...{ resolution: 'SUCCESS', verdict: 'Accepted', systemVerdict: 'To be decided' },
      decidedBy: 'user 6f1d9c44-2a0b-4f4c-8c53-1d8c2a7b9e10, 2026-11-22 10:30:00 UTC',
      reference: '870421 300 123',
    })
    const { folder } = reportOf(reportedFolder({ review: noReview }))
    expect(folder).toMatchObject({ verdict: 'To be decided', decidedBy: 'the service' })
    expect(report.fields).toEqual([{ name: 'client_iin', value: '870421 300 123' }])
    expect(report.scores).toEqual([
      {
        analysis: '1',
        type: 'QUALITY',
        title: 'Liveness',
        name: 'confidence_spoofing',
        label: 'Attack score',
        media: '1',
        score: '0.0312',
        required: 'below 0.5',
        state: 'met',
      },
      {
        analysis: '1',
        type: 'QUALITY',
        title: 'Liveness',
        name: 'confidence_spoofing',
        label: 'Attack score',
        media: '2',
        score: '0.0312',
        required: 'below 0.5',
        state: 'met',
      },
      {
        analysis: '2',
        type: 'BIOMETRY',
        title: 'Comparison',
        name: 'confidence',
        label: 'Likeness',
        media: '1–2',
        score: '0.7231',
        required: 'at least 0.85',
        state: 'open',
      },
    ])
    expect(report.analyses[1]).toMatchObject({
      systemResolution: 'OPERATOR_REQUIRED',
      resolution: 'SUCCESS',
      resolutionOperator: 'SUCCESS',
    })
    expect(report.media[0]!.evidence).toContainEqual({ name: 'quality, sharpness', value: '0.1832' })
    expect(report.models.map(({ analyses, networks }) => [analyses, networks.split(', ').length])).toEqual([
      ['1', 5],
      ['2', 3],
    ])
  })

  it('say that they are of a sandbox, where nothing was checked', () => {
    const folder = reportedFolder()
    const analyses = folder.analyses.map((analysis) => ({ ...analysis, sandbox: 'success' as const }))
    expect(reportOf({ ...folder, analyses }).folder.meaning).toBe(
      'Made in a sandbox: nothing was checked. At least one analysis needs the decision of an operator.',
    )
  })

  it.each(['called back', 'constructor', '__proto__'])('take the remark %s for no verdict', (status) => {
    const review = { ...noReview, status, comment: 'at noon' }
    expect(reportOf(reportedFolder({ review })).folder).toMatchObject({
      ...{ resolution: 'OPERATOR_REQUIRED', verdict: 'To be decided', decidedBy: 'the service' },
      ...{ operatorStatus: status, operatorRemark: `${status}: at noon` },
    })
  })

  it('name who gave the verdict that stands, not who decided last', () => {
    const folder = reportedFolder()
    const by = (authorId: string, decision: 'SUCCESS' | 'DECLINED', atMs: number) =>
      ({ decision, comment: '', authorId, atMs }) as const
    const [first, second] = folder.analyses as [
      (typeof folder.analyses)[number],
      (typeof folder.analyses)[number],
    ]
    const analyses = [
      { ...first, operator: by('first', 'DECLINED', 1000) },
      { ...second, operator: by('second', 'SUCCESS', 2000) },
    ]
    const review = { ...noReview, status: 'DECLINED', authorId: 'second', atMs: 2000 }
    expect(reportOf({ ...folder, analyses, review }).folder.decidedBy).toBe(
      'user first, 1970-01-01 00:00:01 UTC',
    )
  })

  it('say why an analysis was not decided with success', () => {
    const { analyses } = reportOf(reportedFolder())
    const value = 'The faces are neither clearly alike nor clearly different. (medium 1–2)'
    expect(analyses.map(({ reasons }) => reasons)).toEqual([[], [{ name: 'similarity_uncertain', value }]])
  })

  it('list who decided what, and when', () => {
    const folder = reportedFolder()
    expect(
      reportOf(folder).decisions.map(({ time, who, what }) => [time.slice(11, 19), who.slice(0, 9), what]),
    ).toEqual([
      ['09:30:00', 'user 0f4b', 'Created the folder'],
      ['09:30:01', 'user 0f4b', 'Added medium 1'],
      ['09:30:02', 'user 0f4b', 'Added medium 2'],
      ['09:31:00', 'user 0f4b', 'Requested analysis 1 (Liveness)'],
      ['09:31:00', 'user 0f4b', 'Requested analysis 2 (Comparison)'],
      ['d', 'service', 'Decided analysis 2 (Comparison): To be decided'],
      ['09:31:01', 'service', 'Decided analysis 1 (Liveness): Accepted'],
      ['10:30:00', 'user 6f1d', 'Decided analysis 2 (Comparison) as operator: Accepted'],
      ['10:30:00', 'user 6f1d', 'Reviewed the folder: Accepted'],
    ])
  })

  it('find metadata by name or path, and show what is there', () => {
    const metadata = {
      'a.b': 1,
      a: { b: 2, c: { d: 'x' } },
      list: [1, { e: null }],
      none: null,
      long: 12345678901234567890n,
      __proto__: 1,
    }
    const fields = ['a.b', 'a.c.d', 'list', 'none', 'long', 'a.c.e', 'toString', 'list.length', 'missing']
    const report = reportOf(reportedFolder({ metadata }), { metadataFields: fields })
    expect(report.fields).toEqual([
      { name: 'a.b', value: '1' },
      { name: 'a.c.d', value: 'x' },
      { name: 'list', value: '[1,{"e":null}]' },
      { name: 'none', value: '' },
      { name: 'long', value: '12345678901234567890' },
      { name: 'list.length', value: '2' },
    ])
  })

  it('say which medium a failure or a score refers to, also after its removal', () => {
    const media = [reportedMedium(1)]
    const failure = { ...failures.noFace, mediumId: media[0]!.id }
    const failed = livenessAnalysis(1, media, { outcome: { status: 'failed', failure } })
    const running = livenessAnalysis(2, [reportedMedium(7)], { outcome: { status: 'processing' } })
    const { analyses } = reportOf(reportedFolder({ media, analyses: [failed, running] }))
    expect(analyses[0]).toMatchObject({ state: 'FAILED', error: '3002: No face was found (medium 1)' })
    expect(analyses[0]!.reasons).toEqual([{ name: 'no_face', value: 'No face was found. (medium 1)' }])
    expect(analyses[1]).toMatchObject({ state: 'PROCESSING', resolution: 'PROCESSING', media: 'removed' })
  })

  it('write scores so that none looks like a threshold that it misses', () => {
    expect(formatScore(0.49999999, 0.5)).toBe('0.49999999')
    expect(formatScore(0.5, 0.5)).toBe('0.5')
    expect(formatScore(0.123456, 0.5)).toBe('0.1235')
    expect(listNumbers(['1', '2', '3', 'removed', '5'])).toBe('1–3, removed, 5')
    expect(shorten('x'.repeat(10_001))).toMatch(/x… \(10001 characters in all\)$/)
  })
})
