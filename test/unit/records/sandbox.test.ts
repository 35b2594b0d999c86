import { describe, expect, it } from 'vitest'
import { type AnalysisType, analysisKinds } from '../../../src/analyses/registry.ts'
import { failures } from '../../../src/decide/analysis.ts'
import { type ReasonCode, reasonCodes, reasonTexts } from '../../../src/decide/reasons.ts'
import { type AnalysisRecord, abandonments } from '../../../src/records/analysis.ts'
import { explainAnalysis } from '../../../src/records/explain-analysis.ts'
import {
  readSandboxName,
  type SandboxName,
  type SandboxWish,
  sandboxNameOf,
  sandboxNames,
} from '../../../src/records/sandbox.ts'
import { stageAnalysis } from '../../../src/records/stage-analysis.ts'
import { usualLiveness } from '../../fixtures/liveness-parameters.ts'
import { livenessAnalysis } from '../../fixtures/reports.ts'

const band = { min: 0.4, max: 0.85 }
const parameters = {
  liveness: usualLiveness,
  verification: { band, gate: 'record' },
  identification: { collectionId: 'c', band, countMax: 1, falseHitsMax: null, gate: 'record' },
  documents: { fieldsToCheck: null, doublePageSpread: true },
} satisfies Record<AnalysisType, object>

const types = Object.keys(analysisKinds) as AnalysisType[]

/** An analysis of two media as it ends under a name. */
function endAs(name: SandboxName, type: AnalysisType): AnalysisRecord {
  const media = ['a', 'b'].map((id) => ({ associationId: id, mediumId: id, sample: null, outputImages: [] }))
  const opened = { ...livenessAnalysis(1, []), type, parameters: parameters[type], media, evidence: null }
  return { ...opened, ...stageAnalysis(opened as AnalysisRecord, name) } as AnalysisRecord
}

const endOf = ({ outcome }: AnalysisRecord): string | number | null => {
  if (outcome.status === 'failed') return outcome.failure.code
  return outcome.status === 'finished' ? outcome.decision : null
}

/** What each type of analysis gives under all names: its ends, and its gravest reasons. */
const ends = (type: AnalysisType) => new Set(sandboxNames.map((name) => endOf(endAs(name, type))))

describe('the outcomes of sandboxes', () => {
  it('have a name for each reason that an analysis gives', () => {
    const missing = reasonCodes.filter((code) => !(sandboxNames as readonly string[]).includes(code))
    // Only failures that 1.0.0 has stored have it.
    expect(missing).toEqual(['undecided'])
  })

  it.each(types)('of %s have every code of an error that it may end with', (type) => {
    const codes = Object.values({ ...failures, ...abandonments })
      .filter((failure) => {
        const reasons = 'reasons' in failure ? failure.reasons : (['dark'] as const)
        return reasons.some((code) => (reasonTexts[code].of as readonly string[]).includes(type))
      })
      .map(({ code }) => code)
    const given = type === 'documents' ? codes.filter((code) => code !== failures.poorSample.code) : codes
    expect([...ends(type)]).toEqual(expect.arrayContaining(given))
  })

  it('are every decision that a type makes', () => {
    const decided = Object.fromEntries(
      types.map((type) => [type, [...ends(type)].filter((end) => typeof end === 'string').sort()]),
    )
    expect(decided).toEqual({
      liveness: ['DECLINED', 'SUCCESS'],
      verification: ['DECLINED', 'OPERATOR_REQUIRED', 'SUCCESS'],
      identification: ['DECLINED', 'OPERATOR_REQUIRED', 'SUCCESS'],
      documents: ['DECLINED', 'OPERATOR_REQUIRED', 'SUCCESS'],
    })
  })

  it.each(types)('are the only reason of %s if it gives it, and a success if not', (type) => {
    // Nothing that is declined before it runs has evidence.
    const named = reasonCodes.filter((code) => code !== 'undecided' && code !== 'containers_not_analysed')
    const found = named.map((name) => {
      const analysis = endAs(name, type)
      return [name, explainAnalysis(analysis).map(({ code }) => code), endOf(analysis) === 'SUCCESS']
    })
    const isOwn = (name: ReasonCode) => (reasonTexts[name].of as readonly string[]).includes(type)
    expect(found).toEqual(named.map((name) => [name, isOwn(name) ? [name] : [], !isOwn(name)]))
  })

  it('are those of the decision that they stand for', () => {
    const told = (['print_or_screen', 'face_still', 'dark', 'timed_out'] as const).map((name) =>
      endOf(endAs(name, 'liveness')),
    )
    expect(told).toEqual(['DECLINED', 3006, 3005, 3101])
    expect(endOf(endAs('similarity_uncertain', 'verification'))).toBe('OPERATOR_REQUIRED')
    expect(endOf(endAs('identity_changes', 'liveness'))).toBe('DECLINED')
    expect(endOf(endAs('identity_changes', 'verification'))).toBe(3003)
    const { outcome } = endAs('document_expired', 'documents')
    expect(outcome).toMatchObject({ decision: 'DECLINED', reason: expect.stringContaining('expired') })
  })
})

describe('the outcome of an analysis', () => {
  const ofFiles = (ofFolder: SandboxWish, ...names: (string | null)[]) =>
    sandboxNameOf(
      ofFolder,
      names.map((originalName) => ({ originalName })),
    )

  it('is that of the folder, else of the first file that is called like one', () => {
    expect(ofFiles('no_face', 'dark.png')).toBe('no_face')
    expect(ofFiles('success', 'dark.png')).toBe('success')
    expect(ofFiles('by_file', 'selfie.jpg', 'dark.png', 'bright.png')).toBe('dark')
    // A second copy that a browser has downloaded.
    for (const copy of ['print_or_screen (2).png', 'print_or_screen(1).png', 'print_or_screen-2.png'])
      expect(ofFiles('by_file', copy)).toBe('print_or_screen')
    for (const name of [null, '', 'dark', 'dark.tar.png', 'a dark.png', 'undecided.png', 'toString.png'])
      expect(ofFiles('by_file', name)).toBe('success')
  })
})

describe('the name of an outcome', () => {
  it('is read from the metadata of a folder, else from the files', () => {
    expect(readSandboxName({ sandbox: 'no_face', order: 7 })).toBe('no_face')
    expect(readSandboxName({ sandbox: 'success' })).toBe('success')
    expect(readSandboxName({ order: 7 })).toBe('by_file')
    expect(readSandboxName({ sandbox: null })).toBe('by_file')
  })

  it.each(['declined', '', 'undecided', 'toString', 7, ['no_face']])(
    'is refused if there is none: %j',
    (sandbox) => {
      expect(() => readSandboxName({ sandbox })).toThrow(
        expect.objectContaining({
          code: 'value_invalid',
          details: { key_path: 'meta_data.sandbox', expected: expect.stringContaining('no_face') },
        }),
      )
    },
  )
})
