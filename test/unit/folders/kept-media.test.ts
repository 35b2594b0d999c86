import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Assessment, AssessmentRequest } from '../../../src/assess/assessment.ts'
import type { KeptMedia } from '../../../src/folders/kept-media.ts'
import type { FolderRecord } from '../../../src/records/folder.ts'
import { shotFile } from '../../../src/records/medium.ts'
import { keepBlobs } from '../../../src/storage/blobs/blob-ledger.ts'
import { madeUpAssessment, madeUpClip } from '../../fixtures/assessments.ts'
import { openTestDatabase, type TestDatabase } from '../../fixtures/database.ts'
import { type KeptFolders, keepFolders, quality } from '../../fixtures/kept-folders.ts'

describe('media of stored folders', () => {
  let opened: TestDatabase
  let kept: KeptFolders
  let media: KeptMedia
  let folder: FolderRecord
  const asked: (AssessmentRequest['actionShot'] | null)[] = []
  const longClips: AssessmentRequest['longClip'][] = []

  /** A clip whose shot of a gesture says in its first byte which look it is from. */
  const clip = (look: number): Assessment => ({
    ...madeUpAssessment({ attack: 0.1 }),
    clip: madeUpClip,
    actionShot: {
      bytes: Uint8Array.of(look),
      mimeType: 'image/jpeg',
      width: 1,
      height: 1,
      md5: `0${look}`,
    },
  })

  beforeEach(async () => {
    opened = await openTestDatabase()
    kept = keepFolders(opened.database)
    asked.length = 0
    longClips.length = 0
    const assess = kept.assessor.assess.bind(kept.assessor)
    kept.assessor.assess = (bytes, wanted) => {
      if (wanted.faces) asked.push(wanted.actionShot ?? null)
      longClips.push(wanted.longClip)
      return assess(bytes, wanted)
    }
    kept.assessor.look = async () => clip(kept.assessor.looks)
    media = kept.keptMedia()
    folder = await kept.folder(await kept.company('One'))
  })
  afterEach(() => opened.close())

  /** Assesses the medium as if its tags named a gesture. */
  async function assessAs(gesture: string) {
    const record = { ...folder.media[0]!, tags: [`video_selfie_${gesture}`] }
    const request = { ...quality, extractActionShot: true }
    const [planned] = kept.parts.processor.plan([request], [record], () => record)
    const open = kept.parts.processor.open([planned!], ({ id }) => id, 0)
    const earlier = await kept.parts.media.findings(record.id, media.models)
    const { assessed, fresh, blobs } = await media.examine(folder, record, open, earlier)
    const announcement = { eventId: null, nowMs: kept.clock.nowMs }
    await kept.parts.files.write(blobs, (keys) =>
      kept.parts.jobs.settle(folder.id, [], fresh ? [fresh] : [], media.models.key, announcement, (queries) =>
        keepBlobs(queries, keys),
      ),
    )
    return assessed
  }
  const storedShot = () => kept.blobs.read(shotFile(folder.id, folder.media[0]!.id, 'action'))

  it('have one action shot, which analyses of another gesture neither show nor replace', async () => {
    expect((await assessAs('smile')).actionShot).toMatchObject({ md5: '01' })
    expect((await assessAs('smile')).actionShot).toMatchObject({ md5: '01' })
    expect((await assessAs('left')).actionShot).toBeNull()
    expect((await assessAs('smile')).actionShot).toMatchObject({ md5: '01' })
    expect(asked).toEqual(['smile'])
    expect(await storedShot()).toEqual(Uint8Array.of(1))
  })

  it('are final: none is cropped or refused for its length', async () => {
    longClips.length = 0
    await assessAs('smile')
    await media.makeSnapshot(folder.id, folder.media[0]!, async () => {}).catch(() => {})
    expect(longClips).toEqual(['keep', 'keep'])
  })
})
