import type { OutputImage } from '../records/analysis.ts'
import type { FolderRecord } from '../records/folder.ts'
import type { BlobStore } from '../storage/blobs/blob-store.ts'

/** The folder with the bytes of the pictures that its analyses made, for answers that contain them. */
export async function readPictures(
  blobs: Pick<BlobStore, 'read'>,
  folder: FolderRecord,
): Promise<FolderRecord> {
  const files = new Map<string, Promise<Uint8Array | null>>()
  const read = (file: string) => {
    const known = files.get(file) ?? blobs.read(file)
    files.set(file, known)
    return known
  }
  const filled = async (image: OutputImage): Promise<OutputImage> =>
    image.bytes || !image.files ? image : { ...image, bytes: await read(image.files.original) }
  const analyses = await Promise.all(
    folder.analyses.map(async (analysis) => ({
      ...analysis,
      media: await Promise.all(
        analysis.media.map(async (medium) => ({
          ...medium,
          outputImages: await Promise.all(medium.outputImages.map(filled)),
        })),
      ),
    })),
  )
  return { ...folder, analyses }
}
