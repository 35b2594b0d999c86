/**
 * `node scripts/run.mjs test/soak/jpeg.ts [COUNT] [SEED]`: damages JPEG files (5 000 by default) and compares our decoder with mozjpeg.
 * Ours must end within a second, throw nothing but refusals, and read no file that mozjpeg does not read. Ends with 1 otherwise.
 */
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { type JpegPicture, JpegRefused, openJpegDecoder } from '../../src/media/jpeg-decoder.ts'
import { coefficientJpeg } from '../fixtures/coefficient-jpeg.ts'
import { generator } from '../fixtures/gallery.ts'
import { mutateJpeg } from '../fixtures/jpeg-mutations.ts'
import { decodeWithMozjpeg, encodeWithMozjpeg } from '../fixtures/mozjpeg.ts'
import { decode, portrait } from '../fixtures/portraits.ts'
import { hasTestData, testDataDir } from '../fixtures/test-data.ts'

const [count = 5000, seed = 1] = process.argv.slice(2).map(Number)
const msMax = 1000
/** Larger pictures take both decoders more time and show nothing more. */
const fileBytesMax = 60_000
const pixelsMax = 4e6

async function readSeeds(random: () => number): Promise<Uint8Array[]> {
  const found = hasTestData ? await readdir(testDataDir, { recursive: true }) : []
  const files = await Promise.all(
    found
      .filter((file) => /\.jpe?g$/i.test(file))
      .map(async (file) => new Uint8Array(await readFile(path.join(testDataDir, file)))),
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
    ...files.filter(({ length }) => length > 0 && length < fileBytesMax),
  ]
}

const decoder = openJpegDecoder(
  await WebAssembly.compile(await readFile(new URL('../../wasm/jpeg/jpeg.wasm', import.meta.url))),
)

/** Decodes a file at two scales; `null` if it is refused. */
function read(bytes: Uint8Array): JpegPicture | null {
  try {
    const picture = decoder.open(bytes)
    if (picture.width * picture.height > pixelsMax) return null
    picture.decode(2)
    picture.pick(0, Int32Array.of(0, picture.width - 1), Int32Array.of(0, picture.height - 1))
    return picture
  } catch (thrown) {
    if (thrown instanceof JpegRefused) return null
    throw thrown
  }
}

const random = generator(seed)
const seeds = await readSeeds(random)
const faults: string[] = []
let readByBoth = 0
let msLongest = 0
for (let i = 0; i < count; i++) {
  const bytes = mutateJpeg(seeds[i % seeds.length]!, random)
  const start = performance.now()
  const picture = read(bytes)
  const ms = performance.now() - start
  msLongest = Math.max(msLongest, ms)
  if (ms > msMax) faults.push(`mutation ${i} takes ${Math.round(ms)} ms`)
  if (picture && !(await decodeWithMozjpeg(bytes)))
    faults.push(`mutation ${i} is read, and mozjpeg does not read it`)
  if (picture) readByBoth++
}
process.stdout.write(
  `${count} mutations of ${seeds.length} files: ${readByBoth} read by both decoders, ${count - readByBoth} left to mozjpeg; ` +
    `longest ${Math.round(msLongest)} ms, memory ${(decoder.heapBytes() / 2 ** 20).toFixed(1)} MB\n`,
)
for (const fault of faults) process.stdout.write(`${fault}\n`)
process.exitCode = faults.length > 0 ? 1 : 0
