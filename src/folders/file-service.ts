/** Files of folders and collections, by the links in answers. */

import { unattributed } from '../assess/assessor.ts'
import { AppError } from '../errors.ts'
import type { Authority } from '../identity/authority.ts'
import { openArchivedFrame, type StoredArchive } from '../media/archive/archived-frame.ts'
import { FairSemaphore } from '../queue/fair-semaphore.ts'
import { loopTurns } from '../queue/loop-turns.ts'
import { parseFrameFile } from '../records/medium.ts'
import type { BlobFacts, BlobRange, BlobStore, OpenedBlob } from '../storage/blobs/blob-store.ts'
import type { CollectionStore } from '../storage/collections/collection-store.ts'
import type { FolderStore } from '../storage/folders/folder-store.ts'
import type { CallContext } from './received-medium.ts'

export type { BlobFacts, BlobRange, OpenedBlob } from '../storage/blobs/blob-store.ts'

export interface FileServiceDeps {
  blobs: BlobStore
  folders: Pick<FolderStore, 'head'>
  collections: Pick<CollectionStore, 'find'>
}

/** Pieces of frames are unpacked one at a time, each within milliseconds. A caller who leaves an isolate takes the piece along. */
const unpacking = { atOnceMax: 1, waitingMax: 256, waitMaxMs: 10_000, heldMaxMs: 1000 }

export class FileService {
  readonly #deps: FileServiceDeps
  readonly #turns = new FairSemaphore({ ...unpacking, busy: 'Too many frames are being unpacked' })
  readonly #step = loopTurns()

  constructor(deps: FileServiceDeps) {
    this.#deps = deps
  }

  /**
   * A file, or `null` if it does not exist. Links contain names that cannot be guessed.
   * @param call whose share of the work it is to unpack a frame of an archive
   * @throws {AppError} `overloaded` if too many frames are being unpacked
   */
  async open(key: string, range?: BlobRange, call: CallContext = {}): Promise<OpenedBlob | null> {
    const frame = parseFrameFile(key)
    if (!frame) return this.#deps.blobs.open(key, range)
    const archive = await this.#openArchive(frame.archive)
    const { caller = unattributed, signal } = call
    const turns = {
      run: <T>(costMs: number, work: () => Promise<T>) => this.#turns.run(caller, costMs, work, signal),
      step: this.#step,
    }
    return archive && openArchivedFrame(archive, frame.index, turns, range)
  }

  /** Size and type of a file; only for a frame of an archive it is opened. */
  async stat(key: string, call: CallContext = {}): Promise<BlobFacts | null> {
    if (!parseFrameFile(key)) return this.#deps.blobs.stat(key)
    const opened = await this.open(key, undefined, call)
    await opened?.body.cancel()
    return opened
  }

  async #openArchive(key: string): Promise<StoredArchive | null> {
    const { blobs } = this.#deps
    const found = await blobs.stat(key)
    if (!found) return null
    return {
      size: found.size,
      async open(start, end) {
        const part = await blobs.open(key, { start, end: end - 1 })
        if (!part) throw new AppError('not_found')
        return part.body
      },
    }
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
