/** Our own code in the lean decoder: H.264's inner loops, and pictures of half the size. */
import { describe, expect, it } from 'vitest'
import type { VideoDecoder } from '../../../../src/media/video/video-decoder.ts'
import { type ClipRecipe, makeClip, plainPictures } from '../../../fixtures/clips.ts'
import { collect, testDecoders, withVideo } from '../../../fixtures/video-decoders.ts'

const lean = testDecoders.find(([, decoder]) => decoder?.id === 'lean')?.[1] ?? null
const decoder = lean as VideoDecoder

const size = { width: 352, height: 208, seconds: 1 }
/** Each kind uses different code paths of the decoder. */
const kinds: Record<string, readonly string[]> = {
  'of the baseline profile': ['-profile:v', 'baseline'],
  'with all kinds of blocks, and means of pictures': ['-preset', 'slower', '-bf', '4', '-crf', '18'],
  'coarsely coded': ['-preset', 'slower', '-crf', '42'],
  'of pictures coded by themselves': ['-g', '1', '-crf', '30'],
  'without transforms of eight': ['-x264-params', '8x8dct=0:cabac=0', '-crf', '12'],
  'of two fields': ['-flags', '+ildct+ilme', '-x264-params', 'tff=1'],
  'of weighted pictures': ['-x264-params', 'weightp=2:weightb=1:bframes=3'],
  'without loss': ['-qp', '0'],
  'of wide chroma': ['-pix_fmt', 'yuv422p', '-profile:v', 'high422'],
  'of full chroma': ['-pix_fmt', 'yuv444p', '-profile:v', 'high444'],
  'of 10 bits': ['-pix_fmt', 'yuv420p10le', '-profile:v', 'high10'],
}

const recipe = (options: readonly string[], more: Partial<ClipRecipe> = {}): ClipRecipe => ({
  extension: 'mp4',
  encoder: ['-c:v', 'libx264', '-preset', 'veryfast'],
  output: options,
  ...size,
  ...more,
})

/** Red, green and blue of a pixel by ITU-T T.871 and, for the narrow range, ITU-R BT.601. */
function colours(y: number, u: number, v: number, isFull: boolean): number[] {
  const [luma, chroma] = isFull ? [y, 1] : [((y - 16) * 255) / 219, 255 / 224]
  const [cb, cr] = [(u - 128) * chroma, (v - 128) * chroma]
  const rgb = [luma + 1.402 * cr, luma - 0.344136 * cb - 0.714136 * cr, luma + 1.772 * cb]
  return rgb.map((value) => Math.min(255, Math.max(0, value)))
}

describe.skipIf(lean === null)('the lean decoder', () => {
  it.each(Object.entries(kinds))('decodes H.264 %s bit-identically to plain C', async (_, options) => {
    // A fade makes the encoder use weighted prediction.
    const bytes = await makeClip(recipe(options, { filters: 'fade=in:0:20' }))
    const expected = await plainPictures(bytes, 'rgba')
    const frames = await withVideo(decoder, bytes, (video) =>
      collect(video.frames({ timesS: null, sideMax: 4096 })),
    )
    expect(frames.length).toBe(30)
    const pictures = Buffer.concat(frames.map(({ image }) => new Uint8Array(image.data)))
    expect(pictures.equals(expected)).toBe(true)
  })

  it.each([
    ['narrow', 'yuv420p'],
    ['full', 'yuvj420p'],
  ])('halves pictures of the %s range within a level', async (range, format) => {
    // Half the width is no multiple of the eight pixels that are converted at once.
    const [width, height] = [348, 180]
    const filters = range === 'full' ? 'scale=out_range=full' : 'null'
    const bytes = await makeClip(recipe(['-pix_fmt', format], { width, height, filters }))
    const planes = await plainPictures(bytes, format)
    const [frame] = await withVideo(decoder, bytes, (video) =>
      collect(video.frames({ timesS: [0], sideMax: width / 2 })),
    )
    const { image } = frame!
    expect([image.width, image.height]).toEqual([width / 2, height / 2])
    let largest = 0
    for (let row = 0; row < height / 2; row++) {
      for (let column = 0; column < width / 2; column++) {
        const at = 2 * row * width + 2 * column
        const y = (planes[at]! + planes[at + 1]! + planes[at + width]! + planes[at + width + 1]!) / 4
        const chromaAt = width * height + (row * width) / 2 + column
        const expected = colours(
          y,
          planes[chromaAt]!,
          planes[chromaAt + (width * height) / 4]!,
          range === 'full',
        )
        const pixel = (row * image.width + column) * 4
        for (let i = 0; i < 3; i++)
          largest = Math.max(largest, Math.abs(image.data[pixel + i]! - expected[i]!))
        expect(image.data[pixel + 3]).toBe(255)
      }
    }
    expect(largest).toBeLessThan(1.6)
  })
})
