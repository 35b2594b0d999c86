/** How the memory of a Workers isolate is shared. WebAssembly memories never shrink; those of dropped instances are collected. */
import type { ArchiveMemory } from '../media/archive/frame-archive.ts'
import type { ImageLimits } from '../media/decode-image.ts'
import type { VideoLimits } from '../media/video/video-decoder.ts'

/** The memory limit of an isolate. */
export const isolateBytes = 128 * 2 ** 20

/** Search indices: what networks, code and pictures leave. */
export const searchBytesMax = 16 * 2 ** 20

/** Decoders with larger memories are dropped after each picture, so that those of several formats do not add up. */
export const heapBytesKept = 8 * 2 ** 20

/** Beyond the setting for megapixels. */
export const imageLimits = {
  // PNG, WebP and what mozjpeg reads take 10 bytes for each pixel in their decoder, and 4 outside.
  wholePixelsMax: 4e6,
  wholeJpegPixelsMax: 3e6,
  // 13 megapixels in 4:2:0, and 6.6 in 4:4:4.
  coefficientBytesMax: 40e6,
} satisfies Partial<ImageLimits>

/** Of an archive up to three candidates for the best shot are kept as a whole, beside the picture that is being read. */
export const archiveMemory = {
  // 1920 × 1088
  framePixelsMax: 2.1e6,
  unpackedBytesMax: 16 * 2 ** 20,
} satisfies ArchiveMemory

/** A clip takes more than a photo: the decoder has the file and several pictures, and up to three candidates for the best shot are kept. */
const videoPixelsMax = 1.3e6
/** Of the decoder's memory. Clips of cameras in 1280 × 720 take 21 MB with a small file, and 29 with one of 9 MB. */
export const videoBytesMax = 44 * 2 ** 20

/**
 * The clock of an isolate stands still while it computes, so clips are limited by their pictures: ten seconds of 1280 × 720 with 60 pictures a
 * second.
 */
export const isolateVideoLimits = (limits: VideoLimits): VideoLimits => ({
  ...limits,
  pixelsMax: Math.min(limits.pixelsMax, videoPixelsMax),
  pixelsInAllMax: 5.6e8,
})
