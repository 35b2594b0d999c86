/** A new type of analysis needs its folder, a line in the registry and a view: nothing else knows the types by name. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AnalysisType } from '../../../src/analyses/registry.ts'
import { folderView } from '../../../src/contract/full/folder-view.ts'
import type { ViewOptions } from '../../../src/contract/full/media-view.ts'
import { parsePayload } from '../../../src/contract/full/payload.ts'
import type { AnalysisRunner } from '../../../src/folders/analysis-runner.ts'
import { submitAnalyses } from '../../../src/folders/submit.ts'
import type { RequestedAnalysis } from '../../../src/records/analysis.ts'
import { summaryMask } from '../../../src/storage/folders/analysis-summary.ts'
import { openTestDatabase, type TestDatabase } from '../../fixtures/database.ts'
import { type KeptFolders, keepFolders, quality } from '../../fixtures/kept-folders.ts'
import { submittedMedium } from '../../fixtures/submitted-medium.ts'

vi.mock('../../../src/analyses/registry.ts', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../../src/analyses/registry.ts')>()
  const { brightness } = await import('../../fixtures/brightness-analysis.ts')
  const analysisKinds = { ...original.analysisKinds, brightness }
  return {
    analysisKinds,
    findAnalysisKind: ({ type }: { type: keyof typeof analysisKinds }) => analysisKinds[type],
  }
})
vi.mock('../../../src/contract/full/analysis-views/registry.ts', async (importOriginal) => {
  type Views = typeof import('../../../src/contract/full/analysis-views/registry.ts')
  const original = await importOriginal<Views>()
  const { brightnessView } = await import('../../fixtures/brightness-analysis.ts')
  return {
    ...original,
    findAnalysisView: (analysis: { type: AnalysisType }) =>
      String(analysis.type) === 'brightness' ? brightnessView : original.findAnalysisView(analysis),
    typesByWord: { ...original.typesByWord, BRIGHTNESS: 'brightness' },
  }
})

const options: ViewOptions = {
  showReplay: false,
  showLiveness: false,
  pictures: false,
  variant: 'full',
  linkTo: (file) => file,
}

describe('a type of analysis that was added', () => {
  let opened: TestDatabase
  let kept: KeptFolders
  let runner: AnalysisRunner | undefined
  const type = parsePayload({ analyses: [{ type: 'brightness' }] }).analyses[0]!.type
  const request: RequestedAnalysis = { ...quality, type }
  const shown = { type: 'BRIGHTNESS', confs: { least: 0.5 }, results_data: { darkest: 0.5 } }

  beforeEach(async () => {
    opened = await openTestDatabase()
    kept = keepFolders(opened.database)
  })

  afterEach(async () => {
    await runner?.stop()
    await opened.close()
  })

  it('is answered at once', async () => {
    const medium = submittedMedium()
    const { folder } = await kept.parts.processor.runSubmission(
      {
        companyId: null,
        userId: null,
        resolutionEndpoint: null,
        metadata: {},
        media: [medium],
        analyses: [request],
      },
      false,
      {},
    )
    expect(folder.result.systemResolution).toBe('SUCCESS')
    expect(folderView(folder, options)).toMatchObject({ analyses: [{ ...shown, resolution: 'SUCCESS' }] })
  })

  it('leaves the bits of stored masks in place', () => {
    const bitsOf = (type: string) => summaryMask((kind) => kind.type === type)
    expect(['verification', 'identification', 'documents', 'liveness', 'brightness'].map(bitsOf)).toEqual(
      [0, 5, 10, 15, 20].map((first) => 0b11111 * 2 ** first),
    )
  })

  it('is carried out in the background, kept and read back', async () => {
    const folder = await kept.folder(await kept.company('One'))
    await submitAnalyses(kept.parts, folder, [request], null)
    runner = kept.runner()
    runner.start()
    const read = () => kept.parts.folders.find(folder.id)
    await vi.waitFor(async () => expect((await read())?.result.resolutionStatus).toBe('FINISHED'), {
      timeout: 10_000,
    })
    expect(folderView((await read())!, options)).toMatchObject({ analyses: [shown] })
  })
})
