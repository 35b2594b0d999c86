/** Media of stored folders. */
import { AppError } from '../errors.ts'
import type { Authority, Authorized, Use } from '../identity/authority.ts'
import type { FolderRecord, SubmittedMedium } from '../records/folder.ts'
import type { MediumRecord, Metadata } from '../records/medium.ts'
import type { PersonStore, PlacedImage } from '../storage/collections/person-store.ts'
import type { AnalysisStore, PlacedPicture } from '../storage/folders/analysis-store.ts'
import type { MediumStore, PlacedMedium, RemovableMedium } from '../storage/folders/medium-store.ts'
import type { KeptMedia } from './kept-media.ts'
import type { CallContext } from './received-medium.ts'
import type { RecordFiles } from './record-files.ts'
import { removeMedium } from './remove-folder.ts'
import { type SubmittingDeps, submitMedia } from './submit.ts'

export interface MediumServiceDeps {
  submitting: SubmittingDeps
  media: MediumStore
  analyses: Pick<AnalysisStore, 'findPicture'>
  photos: Pick<PersonStore, 'holdImage'>
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
   * Finds a medium for removal, also a damaged one.
   * @throws {AppError} `forbidden`, `not_found`
   */
  findToRemove(authority: Authority, id: string): Promise<Authorized<RemovableMedium, 'delete media'>> {
    return authority.require(
      'delete',
      'media',
      () => this.#deps.media.findToRemove(id),
      ({ folder }) => folder,
    )
  }

  /**
   * Finds a medium, or a picture that an analysis took from one.
   * @throws {AppError} `forbidden`, `not_found`
   */
  findPicture<U extends Use>(
    authority: Authority,
    use: U,
    id: string,
  ): Promise<Authorized<PlacedMedium | PlacedPicture, `${U} media`>> {
    const { media, analyses } = this.#deps
    return authority.require(
      use,
      'media',
      async () => (await media.find(id)) ?? (await analyses.findPicture(id)),
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

  /**
   * Changes tags and metadata together.
   * @param tags `null` if they stay
   * @throws {AppError} `not_found` if the medium was removed
   */
  async change(
    { medium }: Authorized<PlacedMedium, 'update media'>,
    tags: readonly string[] | null,
    patch: (metadata: Metadata) => Metadata,
  ): Promise<MediumRecord> {
    const now = this.#deps.nowMs()
    const metadata = await this.#deps.media.changeMetadata(medium.id, patch, now, tags)
    if (!metadata) throw new AppError('not_found')
    return { ...medium, tags: tags ?? medium.tags, metadata, updatedAtMs: now }
  }

  changeMetadata(
    { medium }: Authorized<PlacedMedium, 'metadata media'>,
    change: (metadata: Metadata) => Metadata,
  ): Promise<Metadata | null> {
    return this.#deps.media.changeMetadata(medium.id, change, this.#deps.nowMs())
  }

  /** Makes the snapshot of a medium unless there is one. @throws {AppError} `not_found` if the medium was removed */
  ensureSnapshot({ folder, medium }: Authorized<PlacedMedium, 'read media'>): Promise<void> {
    const { keptMedia, media } = this.#deps
    return keptMedia.ensureSnapshot(folder.id, medium, (also) => media.hold(medium.id, also))
  }

  /** The same for a photo of a person. @throws {AppError} `not_found` if the photo was removed */
  ensurePhotoSnapshot({ person, image }: Authorized<PlacedImage, 'read person'>): Promise<void> {
    const { keptMedia, photos } = this.#deps
    return keptMedia.ensureSnapshot(person.collectionId, image, (also) => photos.holdImage(image.id, also))
  }

  /** Makes the snapshot of a medium, also if there is one. @throws {AppError} `not_found` if the medium was removed */
  makeSnapshot({ folder, medium }: Authorized<PlacedMedium, 'update media'>): Promise<void> {
    const { keptMedia, media } = this.#deps
    return keptMedia.makeSnapshot(folder.id, medium, (also) => media.hold(medium.id, also))
  }

  /** The same for a photo of a person. @throws {AppError} `not_found` if the photo was removed */
  makePhotoSnapshot({ person, image }: Authorized<PlacedImage, 'update person'>): Promise<void> {
    const { keptMedia, photos } = this.#deps
    return keptMedia.makeSnapshot(person.collectionId, image, (also) => photos.holdImage(image.id, also))
  }

  /**
   * Removes a medium and its analyses.
   * @throws {AppError} `not_allowed` while one of them runs
   */
  remove({ folder, id }: Authorized<RemovableMedium, 'delete media'>): Promise<void> {
    return removeMedium(this.#deps, folder.id, id)
  }
}
