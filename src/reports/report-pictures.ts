/** The pictures of a folder's media, for its report. */
import { AppError } from '../errors.ts'
import type { OutputImage } from '../records/analysis.ts'
import type { FolderRecord } from '../records/folder.ts'
import { type MediumRecord, mediumKind, type ShotKind, snapshotFile } from '../records/medium.ts'
import type { Picture, ReportPicture } from './report.ts'

/** Bytes of all pictures of a report; beyond it media are shown by their thumbnails. */
const bytesMax = 12 * 2 ** 20
/** Media for which a snapshot is made if they have no picture of its size. */
const snapshotsMax = 20

export interface PictureSource {
  read(file: string): Promise<Uint8Array | null>
  /** Makes the snapshot of a medium unless there is one. */
  ensureSnapshot(folder: FolderRecord, medium: MediumRecord): Promise<void>
}

const shotNames: Record<ShotKind, string> = { best: 'best shot', action: 'action shot', portrait: 'portrait' }

/** The shots that analyses took from a medium, each kind once. */
function shotsOf({ analyses }: FolderRecord, mediumId: string): OutputImage[] {
  const images = analyses.flatMap(({ media }) =>
    media.flatMap((medium) => (medium.mediumId === mediumId ? medium.outputImages : [])),
  )
  return [...new Map(images.map((image) => [image.kind, image])).values()]
}

class PictureCollector {
  readonly #source: PictureSource
  readonly #folder: FolderRecord
  #bytes = 0
  #snapshots = 0

  constructor(source: PictureSource, folder: FolderRecord) {
    this.#source = source
    this.#folder = folder
  }

  async collect(): Promise<Map<string, readonly ReportPicture[]>> {
    const pictures = new Map<string, readonly ReportPicture[]>()
    for (const [index, medium] of this.#folder.media.entries())
      pictures.set(medium.id, await this.#picturesOf(medium, index + 1))
    return pictures
  }

  async #picturesOf(medium: MediumRecord, number: number): Promise<ReportPicture[]> {
    const shown: ReportPicture[] = []
    let isWhole = false
    for (const { kind, files } of shotsOf(this.#folder, medium.id)) {
      const image = files && (await this.#read(files.original))
      isWhole ||= image !== null && kind !== 'portrait'
      shown.push({ caption: `Medium ${number}: ${shotNames[kind]}`, image })
    }
    // The best shot of a photo is the photo; a portrait is only a part of it.
    if (isWhole) return shown
    return [
      ...shown,
      { caption: `Medium ${number}: ${this.#describe(medium)}`, image: await this.#whole(medium) },
    ]
  }

  #describe({ original }: MediumRecord): string {
    return mediumKind(original) === 'IMAGE' || original.frames === 1 ? 'photo' : 'frame'
  }

  async #whole(medium: MediumRecord): Promise<Picture | null> {
    const snapshot = this.#bytes < bytesMax && this.#snapshots < snapshotsMax
    return (snapshot ? await this.#snapshot(medium) : null) ?? (await this.#thumbnail(medium))
  }

  async #snapshot(medium: MediumRecord): Promise<Picture | null> {
    this.#snapshots++
    try {
      await this.#source.ensureSnapshot(this.#folder, medium)
    } catch (error) {
      // Without a snapshot there is the thumbnail. A busy server can make one later.
      if (error instanceof AppError && error.code !== 'overloaded') return null
      throw error
    }
    return this.#read(snapshotFile(this.#folder.id, medium.id))
  }

  async #thumbnail({ files }: MediumRecord): Promise<Picture | null> {
    const bytes = files && (await this.#source.read(files.thumbnail))
    return bytes && { bytes }
  }

  async #read(file: string): Promise<Picture | null> {
    if (this.#bytes >= bytesMax) return null
    const bytes = await this.#source.read(file)
    if (!bytes) return null
    this.#bytes += bytes.length
    return { bytes }
  }
}

/**
 * The pictures of each medium: its shots, else its snapshot, else its thumbnail. `null` for a picture whose file is gone.
 * @throws {AppError} `overloaded`, `external_failed`
 */
export const collectPictures = (
  source: PictureSource,
  folder: FolderRecord,
): Promise<Map<string, readonly ReportPicture[]>> => new PictureCollector(source, folder).collect()
