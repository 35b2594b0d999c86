/** Examines the media of stored folders from their files, and reuses earlier findings. */
import type { Assessment, AssessmentRequest } from '../assess/assessment.ts'
import type { Assessor } from '../assess/assessor.ts'
import { AppError, invariant } from '../errors.ts'
import { openMedium } from '../media/opened-medium.ts'
import { backgroundCaller } from '../queue/caller.ts'
import { KeyedMutex } from '../queue/mutex.ts'
import type { AnalysisRecord } from '../records/analysis.ts'
import type { FolderRecord } from '../records/folder.ts'
import { type MediumRecord, sampleFacts, snapshotFile } from '../records/medium.ts'
import { keepBlobs } from '../storage/blobs/blob-ledger.ts'
import type { Queries } from '../storage/database.ts'
import { covers, hasActionShot, type KeptFindings, type ModelsKey } from '../storage/folders/findings.ts'
import type { NewFindings } from '../storage/folders/job-store.ts'
import { collectWanted } from './plan-analyses.ts'
import { decodedOnly, describeShots, shotBlobs } from './received-medium.ts'
import type { NewBlob, RecordFiles } from './record-files.ts'
import type { AssessedMedium } from './run-analysis.ts'
import { sandboxAssessor } from './sandbox-assessor.ts'

export interface KeptMediaDeps {
  assessor: Assessor
  files: RecordFiles
  /** The networks in use: `key` identifies them in stored findings, `profile` is their profile. */
  models: ModelsKey
}

/** A medium with its findings, and what of them is not stored yet. */
export interface ExaminedMedium {
  assessed: AssessedMedium
  /** `null` if nothing new was found. */
  fresh: NewFindings | null
  /** New pictures of the subject. */
  blobs: readonly NewBlob[]
}

/** A medium of an analysis was removed, or its file with the personal data of the folder. */
export const mediumLost = new AppError('media_missing', 'a medium is no longer there')
/** The record is there and its file is not: damage, or a storage that is not attached. */
export const fileLost = new AppError('media_missing', 'the file of a medium is not there')

/** Runs writes in one transaction with a check that a medium exists. */
type HoldMedium = (also: (queries: Queries) => Promise<void>) => Promise<void>

type ActionShot = Pick<KeptFindings, 'actionShot' | 'actionGesture'>

const pickActionShot = ({ actionShot, actionGesture }: KeptFindings): ActionShot => ({
  actionShot,
  actionGesture,
})

/** The action shot, unless it shows another gesture than the tags name now. */
const selectActionShot = ({ actionShot, actionGesture }: ActionShot, wanted: AssessmentRequest) =>
  actionGesture === null || actionGesture === wanted.actionShot ? actionShot : null

/** A stored clip was cropped, if at all, when it was received. */
const longClip = 'keep'
const snapshotOnly: AssessmentRequest = { ...decodedOnly, snapshot: true, longClip }

/** @throws `mediumLost`, `fileLost` */
async function readOriginal(files: RecordFiles, record: MediumRecord): Promise<Uint8Array> {
  if (!record.files) throw mediumLost
  const bytes = await files.read(record.files.original)
  if (!bytes) throw fileLost
  return bytes
}

export class KeptMedia {
  readonly #deps: KeptMediaDeps
  /** By medium: two callers make one snapshot. */
  readonly #byMedium = new KeyedMutex()

  constructor(deps: KeptMediaDeps) {
    this.#deps = deps
  }

  get models(): ModelsKey {
    return this.#deps.models
  }

  /** What analyses need of a medium; those that do not use it need nothing. */
  wanted(record: MediumRecord, analyses: readonly AnalysisRecord[]): AssessmentRequest {
    const using = analyses.filter((analysis) => analysis.media.some(({ mediumId }) => mediumId === record.id))
    return collectWanted(
      using,
      record,
      using.some(({ details }) => details !== null),
    )
  }

  /**
   * The findings of a medium: the known ones, or new ones.
   * @param open analyses of the folder that have not ended; everything that they need of the medium is assessed at once
   * @param kept what was found before with the same networks
   * @throws {AppError} `mediumLost`, `fileLost`, and as `Assessor.assess`
   */
  async examine(
    { id: folderId, companyId }: Pick<FolderRecord, 'id' | 'companyId'>,
    record: MediumRecord,
    open: readonly AnalysisRecord[],
    kept: KeptFindings | null,
  ): Promise<ExaminedMedium> {
    const { files, assessor } = this.#deps
    const wanted = this.wanted(record, open)
    if (kept && covers(kept, wanted)) {
      const { found, bestShot, portrait = null } = kept
      const actionShot = selectActionShot(kept, wanted)
      return {
        assessed: { record, assessment: found, bestShot, actionShot, portrait },
        fresh: null,
        blobs: [],
      }
    }
    const bytes = await readOriginal(files, record)
    const earlier = kept && hasActionShot(kept) ? pickActionShot(kept) : null
    // Includes what was found before, so that stored findings never lose a part.
    const all: AssessmentRequest = {
      faces: true,
      pad: wanted.pad || kept?.found.subject?.pad.status === 'assessed',
      template: wanted.template || kept?.found.subject?.template.status === 'extracted',
      bestShot: wanted.bestShot || Boolean(kept?.bestShot),
      portrait: wanted.portrait === true || Boolean(kept?.portrait),
      ...(wanted.document || kept?.found.document ? { document: wanted.document ?? { page: true } } : {}),
      ...(wanted.actionShot && !earlier ? { actionShot: wanted.actionShot } : {}),
      challenge: wanted.challenge === true || kept?.found.clip?.light !== undefined,
      detail: wanted.detail === true || kept?.found.detail !== undefined,
      longClip,
    }
    const assessment = await assessor.assess(openMedium(bytes), all, undefined, backgroundCaller(companyId))
    const { bestShot, actionShot, portrait } = describeShots(assessment)
    const action = earlier ?? { actionShot, actionGesture: wanted.actionShot ?? null }
    const medium = { ...record, sample: sampleFacts(assessment) }
    const shown = { bestShot, actionShot: selectActionShot(action, wanted), portrait }
    return {
      assessed: { record: medium, assessment, ...shown },
      fresh: { findings: { mediumId: record.id, found: assessment, bestShot, portrait, ...action }, medium },
      blobs: shotBlobs(folderId, record.id, assessment),
    }
  }

  /**
   * A medium of a sandbox, of which nothing is found or kept.
   * @throws {AppError} as `examine`
   */
  async stage(
    { companyId }: Pick<FolderRecord, 'companyId'>,
    record: MediumRecord,
    analysis: AnalysisRecord,
  ): Promise<AssessedMedium & { assessment: Assessment }> {
    const { files, assessor } = this.#deps
    const bytes = await readOriginal(files, record)
    const wanted = { ...this.wanted(record, [analysis]), longClip } as const
    const caller = backgroundCaller(companyId)
    const assessment = await sandboxAssessor(assessor).assess(openMedium(bytes), wanted, undefined, caller)
    const { bestShot, actionShot, portrait } = assessment
    return { record, assessment, bestShot, actionShot, portrait }
  }

  /**
   * Makes the snapshot of a medium, or of a photo of a person: the whole picture, upright, as a JPEG of at most 1280 pixels.
   * @param ownerId id of the folder or collection, the first part of its file names
   * @param hold writes of a transaction that fails if the medium no longer exists
   * @throws {AppError} `not_found` when the medium's file was removed, and as `hold`
   */
  async makeSnapshot(ownerId: string, { id, files: names }: MediumRecord, hold: HoldMedium): Promise<void> {
    const { assessor, files } = this.#deps
    const original = names && (await files.read(names.original))
    if (!original) throw new AppError('not_found')
    const { snapshot } = await assessor.assess(openMedium(original), snapshotOnly)
    invariant(snapshot, 'the snapshot was asked for')
    const { bytes, mimeType } = snapshot
    await files.write([{ key: snapshotFile(ownerId, id), bytes, mimeType }], (keys) =>
      hold((queries) => keepBlobs(queries, keys)),
    )
  }

  /**
   * Makes the snapshot of a medium unless there is one.
   * @throws {AppError} as `makeSnapshot`
   */
  ensureSnapshot(ownerId: string, medium: MediumRecord, hold: HoldMedium): Promise<void> {
    return this.#byMedium.run(medium.id, async () => {
      if (await this.#deps.files.exists(snapshotFile(ownerId, medium.id))) return
      await this.makeSnapshot(ownerId, medium, hold)
    })
  }
}
