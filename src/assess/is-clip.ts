import { namePictures, refuseClip, refuseFile } from '../media/accepted-media.ts'
import { sniff } from '../media/sniff.ts'
import { sniffVideo } from '../media/video/sniff-video.ts'

/** True for clips, not for archives of frames. */
export const isVideo = (bytes: Uint8Array): boolean => sniffVideo(bytes) !== null

/** True for clips and for archives of frames, which are assessed as clips. */
export const isClip = (bytes: Uint8Array): boolean =>
  isVideo(bytes) || ['video', 'archive'].includes(sniff(bytes).kind)

/**
 * @param accepted the types of files that are read
 * @throws {AppError} `media_unsupported` for anything but a picture, before it waits for a worker
 */
export function requirePicture(bytes: Uint8Array, accepted: readonly string[]): void {
  if (isVideo(bytes)) throw refuseClip(namePictures(accepted))
  if (sniff(bytes).kind !== 'image') throw refuseFile(bytes, namePictures(accepted))
}
