/** Files of folders and collections, by the links in answers. */
import { readArchivedFrame } from '../assess/frame-archive.ts'
import type { Authority } from '../identity/authority.ts'
import { parseFrameFile } from '../records/medium.ts'
import type { BlobRange, BlobStore, OpenedBlob } from '../storage/blobs/blob-store.ts'
import type { CollectionStore } from '../storage/collections/collection-store.ts'
import type { FolderStore } from '../storage/folders/folder-store.ts'

export type { BlobRange, OpenedBlob } from '../storage/blobs/blob-store.ts'

export interface FileServiceDeps {
  blobs: BlobStore
  folders: Pick<FolderStore, 'head'>
  collections: Pick<CollectionStore, 'find'>
}

export class FileService {
  readonly #deps: FileServiceDeps

  constructor(deps: FileServiceDeps) {
    this.#deps = deps
  }

  /** A file, or `null` if it does not exist. Links contain names that cannot be guessed. */
  async open(key: string, range?: BlobRange): Promise<OpenedBlob | null> {
    const { blobs } = this.#deps
    const named = parseFrameFile(key)
    if (!named) return blobs.open(key, range)
    const archive = await blobs.read(named.archive)
    const frame = archive && readArchivedFrame(archive, named.index)
    if (!frame) return null
    const { bytes, mimeType } = frame
    const wanted = range ? bytes.slice(range.start, range.end + 1) : bytes.slice()
    return { body: new Blob([wanted]).stream(), size: bytes.length, mimeType }
  }

  /**
   * Checks that a caller may read the files of a folder or a collection.
   * @throws {AppError} `forbidden`, `not_found`
   */
  async requireReadable(authority: Authority, ownerId: string): Promise<void> {
    const { folders, collections } = this.#deps
    const collection = await collections.find(ownerId)
    if (collection) {
      const owner = { companyId: collection.companyId, userId: null }
      await authority.require(
        'read',
        'person',
        async () => collection,
        () => owner,
      )
      return
    }
    await authority.require(
      'read',
      'media',
      () => folders.head(ownerId),
      (folder) => folder,
    )
  }
}
