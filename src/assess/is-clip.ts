import { pictureKinds, refuseClip, refuseFile } from '../media/accepted-media.ts'
import { sniff } from '../media/sniff.ts'
import { sniffVideo } from '../media/video/sniff-video.ts'

/** True for clips, not for archives of frames. */
export const isVideo = (bytes: Uint8Array): boolean => sniffVideo(bytes) !== null

/** True for clips and for archives of frames, which are assessed as clips. */
export const isClip = (bytes: Uint8Array): boolean =>
  isVideo(bytes) || ['video', 'archive'].includes(sniff(bytes).kind)

/** @throws {AppError} `media_unsupported` for anything but a picture, before it waits for a worker */
export function requirePicture(bytes: Uint8Array): void {
  if (isVideo(bytes)) throw refuseClip(pictureKinds)
  if (sniff(bytes).kind !== 'image') throw refuseFile(bytes, pictureKinds)
}
