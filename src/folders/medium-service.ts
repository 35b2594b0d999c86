/** Media of stored folders. */
import { AppError } from '../errors.ts'
import type { Authority, Authorized, Use } from '../identity/authority.ts'
import type { FolderRecord, SubmittedMedium } from '../records/folder.ts'
import { type MediumRecord, type Metadata, refuseWrongTags } from '../records/medium.ts'
import type { MediumStore, PlacedMedium } from '../storage/folders/medium-store.ts'
import type { KeptMedia } from './kept-media.ts'
import type { CallContext } from './received-medium.ts'
import type { RecordFiles } from './record-files.ts'
import { removeMedium } from './remove-folder.ts'
import { type SubmittingDeps, submitMedia } from './submit.ts'

export interface MediumServiceDeps {
  submitting: SubmittingDeps
  media: MediumStore
  keptMedia: KeptMedia
  files: RecordFiles
  nowMs(): number
}

export class MediumService {
  readonly #deps: MediumServiceDeps

  constructor(deps: MediumServiceDeps) {
    this.#deps = deps
  }

  /** @throws {AppError} `forbidden`, `not_found` */
  find<U extends Use>(
    authority: Authority,
    use: U,
    id: string,
  ): Promise<Authorized<PlacedMedium, `${U} media`>> {
    return authority.require(
      use,
      'media',
      () => this.#deps.media.find(id),
      ({ folder }) => folder,
    )
  }

  /**
   * Adds media to a folder.
   * @throws {AppError} as `submitMedia`
   */
  add(
    folder: Authorized<FolderRecord, 'create media'>,
    media: readonly SubmittedMedium[],
    call: CallContext,
  ): Promise<MediumRecord[]> {
    return submitMedia(this.#deps.submitting, folder, media, call)
  }

  /** @throws {AppError} `value_invalid` for tags that a medium of this kind cannot have */
  async setTags(
    { medium }: Authorized<PlacedMedium, 'update media'>,
    tags: readonly string[],
  ): Promise<MediumRecord> {
    refuseWrongTags(tags, medium.original)
    const now = this.#deps.nowMs()
    await this.#deps.media.setTags(medium.id, tags, now)
    return { ...medium, tags, updatedAtMs: now }
  }

  changeMetadata(
    { medium }: Authorized<PlacedMedium, 'metadata media'>,
    change: (metadata: Metadata) => Metadata,
  ): Promise<Metadata | null> {
    return this.#deps.media.changeMetadata(medium.id, change, this.#deps.nowMs())
  }

  /** @throws {AppError} `not_found` if there is none */
  async requireSnapshot({ folder, medium }: Authorized<PlacedMedium, 'read media'>): Promise<void> {
    if (!(await this.#deps.keptMedia.hasSnapshot(folder.id, medium.id))) throw new AppError('not_found')
  }

  makeSnapshot({ folder, medium }: Authorized<PlacedMedium, 'update media'>): Promise<void> {
    return this.#deps.keptMedia.makeSnapshot(folder.id, medium)
  }

  /**
   * Removes a medium and its analyses.
   * @throws {AppError} `not_allowed` while one of them runs
   */
  remove({ folder, medium }: Authorized<PlacedMedium, 'delete media'>): Promise<void> {
    return removeMedium(this.#deps, folder.id, medium)
  }
}
