/**
 * `npm run soak -- jpeg [--sample]`: damages JPEG files 5 000 times (a sample: 500 times) and compares our decoder with mozjpeg.
 * Ours ends in time, throws nothing but refusals, and reads no file that mozjpeg does not read.
 */
import { readdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { AppError } from '../../src/errors.ts'
import { inspectImage } from '../../src/media/decode-image.ts'
import {
  type JpegDecoder,
  type JpegPicture,
  JpegRefused,
  openJpegDecoder,
} from '../../src/media/formats/jpeg/jpeg-decoder.ts'
import { openMedium } from '../../src/media/opened-medium.ts'
import { coefficientJpeg } from '../../test/fixtures/coefficient-jpeg.ts'
import { generator } from '../../test/fixtures/gallery.ts'
import { mutateJpeg } from '../../test/fixtures/jpeg-mutations.ts'
import { decodeWithMozjpeg, encodeWithMozjpeg } from '../../test/fixtures/mozjpeg.ts'
import { decode, portrait } from '../../test/fixtures/portraits.ts'
import { hasTestData, testDataDir } from '../../test/fixtures/test-data.ts'

const whole = 5000
const sample = 500
const seed = 1
/** Against files on which it hangs: the machine may have other work. The slowest one is printed. */
const msMax = 5000
/** Larger pictures take both decoders more time and show nothing more. */
const fileBytesMax = 60_000
const pixelsMax = 4e6

async function readSmall(file: string): Promise<Uint8Array[]> {
  const { size } = await stat(file)
  return size > 0 && size < fileBytesMax ? [new Uint8Array(await readFile(file))] : []
}

async function readSeeds(random: () => number): Promise<Uint8Array[]> {
  const found = hasTestData ? await readdir(testDataDir, { recursive: true }) : []
  const files = await Promise.all(
    found
      .filter((file) => /\.jpe?g$/i.test(file))
      .sort()
      .map((file) => readSmall(path.join(testDataDir, file))),
  )
  const factors = [
    [2, 2],
    [1, 1],
    [1, 1],
  ] as const
  return [
    await portrait('longHair', 70),
    await encodeWithMozjpeg(await decode(await portrait('smiling')), { progressive: true }),
    coefficientJpeg({ width: 90, height: 70, factors, interval: 4 }, random),
    coefficientJpeg({ width: 90, height: 70, factors, scans: [[0], [1, 2]] }, random),
    ...files.flat(),
  ]
}

/** Decodes a file at two scales; `null` if it is refused. */
function read(decoder: JpegDecoder, bytes: Uint8Array): JpegPicture | null {
  try {
    const picture = decoder.open(bytes)
    if (picture.width * picture.height > pixelsMax) return null
    picture.decode(2)
    picture.pick(0, Int32Array.of(0, picture.width - 1), Int32Array.of(0, picture.height - 1))
    return picture
  } catch (thrown) {
    if (thrown instanceof JpegRefused || thrown instanceof AppError) return null
    throw thrown
  }
}

/** Whether the service reads a header, and mozjpeg the colours: it cannot convert inks. */
function isComparable(bytes: Uint8Array): boolean {
  try {
    return !inspectImage(openMedium(bytes), { pixelsMax }).hasInks
  } catch {
    return false
  }
}

/** @returns the promises that were broken */
export async function jpegPart(isSample: boolean, say: (text: string) => void): Promise<string[]> {
  const module = await readFile(new URL('../../wasm/jpeg/jpeg.wasm', import.meta.url))
  const decoder = openJpegDecoder(await WebAssembly.compile(module))
  const count = isSample ? sample : whole
  const random = generator(seed)
  const seeds = await readSeeds(random)
  const faults: string[] = []
  let [readByBoth, msLongest] = [0, 0]
  for (let i = 0; i < count; i++) {
    const bytes = mutateJpeg(seeds[i % seeds.length]!, random)
    const start = performance.now()
    const picture = read(decoder, bytes)
    const ms = performance.now() - start
    msLongest = Math.max(msLongest, ms)
    if (ms > msMax) faults.push(`mutation ${i} takes ${Math.round(ms)} ms`)
    if (!picture || !isComparable(bytes)) continue
    if (await decodeWithMozjpeg(bytes)) readByBoth++
    else faults.push(`mutation ${i} is read, and mozjpeg does not read it`)
  }
  const memory = (decoder.heapBytes() / 2 ** 20).toFixed(1)
  say(
    `${count} mutations of ${seeds.length} files: ${readByBoth} read by both decoders, ${count - readByBoth} refused or left to mozjpeg; ` +
      `longest ${Math.round(msLongest)} ms, memory ${memory} MB`,
  )
  return faults
}
