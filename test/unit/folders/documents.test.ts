/** Analyses of documents through the stores: kept, listed by their results, analysed again, removed. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { DocumentsAnalysis } from '../../../src/analyses/documents/documents.ts'
import { folderView } from '../../../src/contract/full/folder-view.ts'
import { folderFields } from '../../../src/contract/full/list-fields.ts'
import type { ViewOptions } from '../../../src/contract/full/media-view.ts'
import { parseListQuery } from '../../../src/contract/list-query.ts'
import type { AnalysisRunner } from '../../../src/folders/analysis-runner.ts'
import { clearFolder } from '../../../src/folders/remove-folder.ts'
import { submitAnalyses, submitFolder } from '../../../src/folders/submit.ts'
import type { RequestedAnalysis } from '../../../src/records/analysis.ts'
import { shotFile } from '../../../src/records/medium.ts'
import { collectBatches } from '../../../src/storage/lists/batches.ts'
import { madeUpAssessment } from '../../fixtures/assessments.ts'
import { openTestDatabase, type TestDatabase } from '../../fixtures/database.ts'
import { passportZone, printedPage, readingOf } from '../../fixtures/document-readings.ts'
import { type KeptFolders, keepFolders, quality } from '../../fixtures/kept-folders.ts'
import { submittedMedium } from '../../fixtures/submitted-medium.ts'

const request: RequestedAnalysis = { ...quality, type: 'documents' }
const options: ViewOptions = {
  showReplay: false,
  showLiveness: false,
  pictures: true,
  variant: 'full',
  linkTo: (file) => file,
}

describe('an analysis of documents', () => {
  let opened: TestDatabase
  let kept: KeptFolders
  let runner: AnalysisRunner | undefined
  const assessed = vi.fn()

  beforeEach(async () => {
    opened = await openTestDatabase()
    kept = keepFolders(opened.database)
    // The specimen is valid then.
    kept.clock.nowMs = Date.UTC(2011, 5, 15)
    assessed.mockReset()
    const portrait = {
      bytes: Uint8Array.of(7),
      mimeType: 'image/jpeg',
      width: 9,
      height: 9,
      md5: '07',
    }
    // A text that looks like the reference to a medium in stored evidence.
    const lines = printedPage({ Surname: 'ERIKSSON', 'Place of birth': 'ZENITH #0' })
    kept.assessor.look = async () => {
      assessed()
      return { ...madeUpAssessment(), portrait, document: readingOf({ zones: [passportZone], lines }) }
    }
  })
  afterEach(async () => {
    await runner?.stop()
    await opened.close()
  })

  const submit = async (analyses: readonly RequestedAnalysis[]) => {
    const companyId = await kept.company('One')
    const tagged = submittedMedium({ tags: ['photo_id'] })
    const submission = {
      companyId,
      userId: null,
      metadata: {},
      media: [tagged],
      analyses,
      resolutionEndpoint: null,
    }
    return (await submitFolder(kept.parts, submission, {})).folder
  }
  const list = async (search: string) => {
    const query = parseListQuery(new URLSearchParams(search), folderFields, kept.clock.nowMs)
    const { batches } = await kept.parts.folders.list(query, {}, { media: false, analyses: false })
    return (await collectBatches(batches)).length
  }
  /** All rows of the database as text. */
  const dump = async () => {
    const { rows: tables } = await opened.client.execute(
      "select name from sqlite_master where type = 'table' and name not like '\\_\\_%' escape '\\'",
    )
    const contents = await Promise.all(
      tables.map(async ({ name }) => (await opened.client.execute(`select * from "${name}"`)).rows),
    )
    return JSON.stringify(contents)
  }
  const read = async (id: string) => (await kept.parts.folders.find(id))!

  it('is stored as it was answered, whatever the text says', async () => {
    const folder = await submit([{ ...request, detail: true }])
    expect(folder.result.systemResolution).toBe('SUCCESS')
    const stored = await read(folder.id)
    expect((stored.analyses[0] as DocumentsAnalysis).evidence).toEqual(
      (folder.analyses[0] as DocumentsAnalysis).evidence,
    )
    const view = folderView(stored, { ...options, pictures: false }) as { analyses: object[] }
    expect(view.analyses[0]).toMatchObject({
      type: 'DOCUMENTS',
      resolution: 'SUCCESS',
      results_data: { document_kind: 'passport' },
      results_media: [{ output_images: [{ original_name: 'portrait.jpeg' }] }],
    })
    expect(await kept.blobs.read(shotFile(folder.id, folder.media[0]!.id, 'portrait'))).toEqual(
      Uint8Array.of(7),
    )
    const shown = folderView(stored, options) as { analyses: { technical_meta_data: unknown }[] }
    expect(shown.analyses[0]!.technical_meta_data).toMatchObject({
      detail: { media: [{ document: { zones: [{ lines: passportZone, mirrored: false }] } }] },
    })
  })

  it('is found by its results', async () => {
    await submit([request])
    const found = [
      'text_fields.Surname.mrz==ERIKSSON',
      'text_fields.surname.visual==ERIKSSON',
      'text_fields.Birth Date.mrz==1974-08-12',
      'text_fields.BirthDate.mrz==1974-08-12',
      'text_fields.birth-date.mrz==1974-08-12',
      'text_fields.Surname.status==SUCCESS',
      'text_fields.Surname.mrz_confidence>0.5',
      'text_fields.0.field_name==Document Code',
      'text_fields.Birth Place.visual==ZENITH #0',
      'text_fields.Birth Place.mrz==null',
      'document_kind==passport',
      'issuing_state!=D',
      'validity.check_digits==SUCCESS',
      'hints.mirrored==false',
    ]
    const others = [
      'text_fields.Surname.mrz==MUSTERMANN',
      'text_fields.Surname.status==DECLINED',
      'text_fields.99.mrz==ERIKSSON',
      'text_fields.Surname.toString==x',
      'constructor.name==x',
      "text_fields.x') or true --.mrz==1",
      'document_kind==visa',
    ]
    for (const condition of found)
      expect([condition, await list(`analyse.results_data=${encodeURIComponent(condition)}`)]).toEqual([
        condition,
        1,
      ])
    for (const condition of others)
      expect([condition, await list(`analyse.results_data=${encodeURIComponent(condition)}`)]).toEqual([
        condition,
        0,
      ])
  })

  it('keeps text that looks like SQL or markup as it is', async () => {
    const text = `'); drop table folders; -- <script>alert("1")</script> {{7*7}} \${7}`
    const lines = printedPage({ Surname: 'ERIKSSON', 'Place of birth': text })
    const document = readingOf({ zones: [passportZone], lines })
    kept.assessor.look = async () => ({ ...madeUpAssessment(), document })
    const { id } = await submit([request])
    const view = folderView(await read(id), { ...options, pictures: false })
    expect(JSON.stringify(view)).toContain(JSON.stringify(text.toUpperCase()).slice(1, -1))
    const condition = `text_fields.Birth Place.visual==${text.toUpperCase()}`
    expect(await list(`analyse.results_data=${encodeURIComponent(condition)}`)).toBe(1)
  })

  it('is carried out again without another look at the picture', async () => {
    const folder = await submit([request])
    expect(assessed).toHaveBeenCalledTimes(1)
    kept.clock.nowMs = Date.UTC(2026, 0, 1)
    await submitAnalyses(kept.parts, await read(folder.id), [request], null)
    runner = kept.runner()
    runner.start()
    const done = async () =>
      (await read(folder.id)).analyses.every(({ outcome }) => outcome.status === 'finished')
    await vi.waitFor(async () => expect(await done()).toBe(true), { timeout: 20_000 })
    const { analyses } = await read(folder.id)
    expect(analyses.map(({ outcome }) => outcome)).toMatchObject([
      { decision: 'SUCCESS' },
      // It has expired meanwhile.
      { decision: 'DECLINED' },
    ])
    expect(analyses[1]!.media[0]!.outputImages).toMatchObject([{ kind: 'portrait', original: { md5: '07' } }])
    expect(assessed).toHaveBeenCalledTimes(1)
  })

  it('leaves no field when personal data is removed', async () => {
    const folder = await submit([{ ...request, detail: true }])
    expect(await dump()).toContain('L898902C3')
    await clearFolder({ ...kept.parts }, folder.id)
    const rows = await dump()
    for (const word of ['ERIKSSON', 'L898902C3', 'ANNA', '1974-08-12', '740812'])
      expect(rows).not.toContain(word)
    expect(await kept.blobs.read(shotFile(folder.id, folder.media[0]!.id, 'portrait'))).toBeNull()
    const { analyses } = await read(folder.id)
    expect(analyses[0]).toMatchObject({ outcome: { decision: 'SUCCESS' }, evidence: null, media: [] })
  })
})
