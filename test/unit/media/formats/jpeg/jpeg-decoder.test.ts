import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { AppError } from '../../../../../src/errors.ts'
import { inspectImage } from '../../../../../src/media/decode-image.ts'
import {
  type JpegPicture,
  JpegRefused,
  type JpegScale,
  openJpegDecoder,
} from '../../../../../src/media/formats/jpeg/jpeg-decoder.ts'
import { openMedium } from '../../../../../src/media/opened-medium.ts'
import type { RgbaImage } from '../../../../../src/media/rgba-image.ts'
import { shrinkImage, testCodecs } from '../../../../fixtures/codecs.ts'
import { type CoefficientJpeg, coefficientJpeg } from '../../../../fixtures/coefficient-jpeg.ts'
import { generator } from '../../../../fixtures/gallery.ts'
import { mutateJpeg } from '../../../../fixtures/jpeg-mutations.ts'
import { decodeWithMozjpeg, encodeWithMozjpeg } from '../../../../fixtures/mozjpeg.ts'
import { group, manSmall } from '../../../../fixtures/packages.ts'
import { insertSegment, ramp } from '../../../../fixtures/pictures.ts'
import { decode, portrait } from '../../../../fixtures/portraits.ts'
import { progressiveJpeg } from '../../../../fixtures/progressive-jpeg.ts'
import { hasTestData, testDataDir } from '../../../../fixtures/test-data.ts'

const compiled = await WebAssembly.compile(
  await readFile(new URL('../../../../../wasm/jpeg/jpeg.wasm', import.meta.url)),
)
const decoder = openJpegDecoder(compiled)

/** Largest difference of two pictures. */
function largestDifference(a: RgbaImage, b: RgbaImage): number {
  expect([a.width, a.height]).toEqual([b.width, b.height])
  let largest = 0
  for (let i = 0; i < a.data.length; i++) largest = Math.max(largest, Math.abs(a.data[i]! - b.data[i]!))
  return largest
}

async function expectLikeMozjpeg(bytes: Uint8Array, what = ''): Promise<void> {
  const expected = await decodeWithMozjpeg(bytes)
  expect(expected, what).not.toBeNull()
  expect(largestDifference(decoder.open(bytes).decode(0), expected!), what).toBeLessThanOrEqual(1)
}

const opened = (bytes: Uint8Array): JpegPicture => {
  const picture = decoder.open(bytes)
  picture.decode(3)
  return picture
}

function refusalOf(bytes: Uint8Array): string {
  try {
    decoder.open(bytes).decode(0)
    return 'none'
  } catch (thrown) {
    if (thrown instanceof JpegRefused) return thrown.reason
    if (thrown instanceof AppError) return 'incomplete'
    throw thrown
  }
}

const hasInks = (bytes: Uint8Array): boolean => inspectImage(openMedium(bytes), { pixelsMax: 1e9 }).hasInks

const samplings: readonly CoefficientJpeg['factors'][] = [
  [[1, 1]],
  [[2, 2]],
  ...(
    [
      [1, 1],
      [2, 1],
      [2, 2],
      [1, 2],
      [4, 1],
      [1, 4],
      [3, 1],
      [4, 2],
    ] as const
  ).map((luma) => [luma, [1, 1], [1, 1]] as const),
  [
    [2, 2],
    [2, 1],
    [1, 2],
  ],
  [
    [1, 1],
    [2, 2],
    [1, 1],
  ],
]

const sizes = [
  [1, 1],
  [8, 8],
  [17, 5],
  [33, 40],
  [67, 51],
] as const

describe('our JPEG decoder at full scale, against mozjpeg', () => {
  it.each(samplings.map((factors) => [factors.map((pair) => pair.join('×')).join(' '), factors] as const))(
    'decodes the sampling %s',
    async (_, factors) => {
      for (const [width, height] of sizes)
        for (const interval of [0, 1, 3])
          await expectLikeMozjpeg(
            coefficientJpeg({ width, height, factors, interval }, generator(width)),
            `${width} × ${height}, restarts ${interval}`,
          )
    },
  )

  it('decodes components in scans of their own, steps of 16 bits, and RGB', async () => {
    const base = {
      width: 45,
      height: 37,
      factors: [
        [2, 1],
        [1, 1],
        [1, 1],
      ] as const,
    }
    const random = generator(5)
    const adobe = (transform: number) =>
      insertSegment(
        Uint8Array.of(0xff, 0xd8),
        0xee,
        Uint8Array.of(...Buffer.from('Adobe'), 0, 100, 0, 0, 0, 0, transform),
      ).slice(2)
    for (const [what, change] of Object.entries({
      'scans of one component': { scans: [[0], [1], [2]] },
      'scans of one and two': { scans: [[1, 2], [0]], interval: 2 },
      'long steps': { hasLongSteps: true },
      'RGB by identifiers': { ids: [82, 71, 66] },
      'RGB by Adobe': { extra: adobe(0) },
      'YCbCr by Adobe': { extra: adobe(1), ids: [82, 71, 66] },
      'other identifiers': { ids: [0, 7, 255] },
    }))
      await expectLikeMozjpeg(coefficientJpeg({ ...base, ...change }, random), what)
  })

  it.each([
    ['progressive', { progressive: true }],
    ['progressive 4:4:4', { progressive: true, auto_subsample: false, chroma_subsample: 1 }],
    ['baseline', { baseline: true, progressive: false }],
    ['grey', { color_space: 1 }],
    ['RGB', { color_space: 2 }],
  ])('decodes a %s picture', async (_, options) => {
    for (const [width, height] of [...sizes, [200, 150]] as const)
      await expectLikeMozjpeg(await encodeWithMozjpeg(ramp(width, height), options), `${width} × ${height}`)
  })

  it('decodes photographs', async () => {
    for (const bytes of [await manSmall(), await group(1), await group(4)]) await expectLikeMozjpeg(bytes)
  })

  it.skipIf(!hasTestData)(
    'decodes all pictures of the test data that it does not refuse',
    async () => {
      const files = (await readdir(testDataDir, { recursive: true })).filter((file) => /\.jpe?g$/i.test(file))
      let read = 0
      for (const file of files) {
        const bytes = new Uint8Array(await readFile(path.join(testDataDir, file)))
        // mozjpeg cannot convert inks.
        if (refusalOf(bytes) !== 'none' || hasInks(bytes)) continue
        await expectLikeMozjpeg(bytes, file)
        read++
      }
      expect(read).toBeGreaterThan(files.length / 2)
    },
    300_000,
  )
})

describe('smaller scales', () => {
  it.each([1, 2, 3] as const)('1/2^%i is the average of the pixels', async (scale) => {
    const side = 1 << scale
    const image = await decode(await portrait('redhead'))
    const grey = await encodeWithMozjpeg(image, { color_space: 1 })
    for (const [bytes, most] of [
      [grey, 2],
      [await encodeWithMozjpeg(image, { auto_subsample: false, chroma_subsample: 1 }), 6],
      [await portrait('redhead'), 24],
    ] as const) {
      const full = decoder.open(bytes).decode(0)
      const small = decoder.open(bytes).decode(scale)
      const whole = { width: small.width * side, height: small.height * side }
      const data = new Uint8ClampedArray(whole.width * whole.height * 4)
      for (let y = 0; y < whole.height; y++)
        data.set(
          full.data.subarray(y * full.width * 4, (y * full.width + whole.width) * 4),
          y * whole.width * 4,
        )
      const average = shrinkImage({ ...whole, data }, small.width, small.height)
      expect(largestDifference(small, average)).toBeLessThanOrEqual(most)
    }
  })

  it.each(samplings.map((factors) => [factors.map((pair) => pair.join('×')).join(' '), factors] as const))(
    'keep the mean colour with the sampling %s',
    (_, factors) => {
      const bytes = coefficientJpeg({ width: 96, height: 80, factors, interval: 2 }, generator(3))
      const mean = ({ data }: RgbaImage) => data.reduce((sum, value) => sum + value, 0) / data.length
      const full = mean(decoder.open(bytes).decode(0))
      for (const scale of [1, 2, 3] as const)
        expect(Math.abs(mean(decoder.open(bytes).decode(scale)) - full)).toBeLessThan(6)
    },
  )
})

describe('picking pixels', () => {
  const kinds = samplings.map(
    (factors): CoefficientJpeg => ({ width: 131, height: 94, factors, interval: 5 }),
  )
  it.each([...kinds, { ...kinds[4]!, scans: [[0], [1], [2]] }, { ...kinds[4]!, interval: 0 }])(
    'gives those of the whole picture: %o',
    (facts) => {
      const random = generator(facts.factors.length)
      const bytes = coefficientJpeg(facts, random)
      for (const scale of [0, 1, 2] as JpegScale[]) {
        const whole = decoder.open(bytes).decode(scale)
        const picture = opened(bytes)
        for (const density of [0.04, 0.3, 1]) {
          const choose = (length: number) =>
            Int32Array.from([...Array(length).keys()].filter((place) => place === 7 || random() < density))
          const [columns, rows] = [choose(whole.width), choose(whole.height)]
          const picked = picture.pick(scale, columns, rows)
          expect([picked.width, picked.height]).toEqual([columns.length, rows.length])
          const expected = [...rows].flatMap((y) =>
            [...columns].flatMap((x) => [
              ...whole.data.subarray((y * whole.width + x) * 4, (y * whole.width + x) * 4 + 4),
            ]),
          )
          expect(Buffer.from(picked.data).equals(Buffer.from(expected))).toBe(true)
        }
      }
    },
  )

  it('decodes the whole picture again afterwards, at any scale', async () => {
    const bytes = await portrait('brunette')
    const picture = opened(bytes)
    picture.pick(0, Int32Array.of(3, 200), Int32Array.of(0, 9, 300))
    for (const scale of [0, 2, 1] as const)
      expect(picture.decode(scale)).toEqual(decoder.open(bytes).decode(scale))
  })
})

describe('files that it refuses', () => {
  it.each([
    ['arithmetic coding', 1, 0xc9],
    ['lossless', 1, 0xc3],
    ['12 bits', 4, 12],
    ['two components', 9, 2],
    ['a height that follows', 6, 0],
  ])('are other kinds of JPEG: %s', async (_, offset, value) => {
    const bytes = (await testCodecs.encodeJpeg({ image: ramp(40, 40), quality: 80 })).slice()
    const at = bytes.findIndex((byte, i) => byte === 0xff && bytes[i + 1] === 0xc0)
    bytes[at + offset] = value
    expect(refusalOf(bytes)).toBe('unsupported')
  })

  it('lack components or bits of coefficients', () => {
    const random = generator(2)
    const facts = {
      width: 40,
      height: 40,
      factors: [
        [1, 1],
        [1, 1],
        [1, 1],
      ] as const,
    }
    expect(refusalOf(coefficientJpeg({ ...facts, scans: [[0], [1, 2]] }, random))).toBe('none')
    expect(refusalOf(coefficientJpeg({ ...facts, scans: [[0], [2]] }, random))).toBe('incomplete')
    const progressive = progressiveJpeg({ width: 40, height: 40, scans: 3 })
    expect(refusalOf(progressive)).toBe('none')
    expect(refusalOf(progressive.subarray(0, progressive.lastIndexOf(0xda) - 1))).toBe('incomplete')
  })

  it('are cut anywhere', async () => {
    for (const bytes of [
      await portrait('smiling'),
      await encodeWithMozjpeg(ramp(90, 70), { progressive: true }),
    ])
      for (let share = 0.03; share < 1; share += 0.03)
        expect(refusalOf(bytes.subarray(0, bytes.length * share)), `${share}`).toBe('incomplete')
  })

  it('declare more pixels than they have memory for', async () => {
    const bytes = (await encodeWithMozjpeg(ramp(32, 32), { progressive: true })).slice()
    const at = bytes.findIndex((byte, i) => byte === 0xff && bytes[i + 1] === 0xc2)
    bytes.fill(0xff, at + 5, at + 9)
    expect(refusalOf(bytes)).toBe('too large')
    expect(openJpegDecoder(compiled).heapBytes()).toBeLessThan(2 ** 20)
  })

  it('are among mutations, of which it reads none that mozjpeg does not read', async () => {
    const random = generator(11)
    const seeds = [
      await portrait('longHair', 70),
      await encodeWithMozjpeg(await decode(await portrait('smiling')), { progressive: true }),
      coefficientJpeg(
        {
          width: 90,
          height: 70,
          factors: [
            [2, 2],
            [1, 1],
            [1, 1],
          ],
          interval: 4,
        },
        random,
      ),
    ]
    let refused = 0
    for (let i = 0; i < 300; i++) {
      const bytes = mutateJpeg(seeds[i % seeds.length]!, random)
      if (refusalOf(bytes) !== 'none') refused++
      else expect(await decodeWithMozjpeg(bytes), `mutation ${i}`).not.toBeNull()
    }
    expect(refused).toBeGreaterThan(50)
    expect(refused).toBeLessThan(250)
  })
})

describe('memory', () => {
  it('of a baseline picture holds three rows of blocks, not the picture', async () => {
    const bytes = coefficientJpeg(
      {
        width: 2048,
        height: 1024,
        factors: [
          [2, 2],
          [1, 1],
          [1, 1],
        ],
      },
      generator(1),
    )
    const own = openJpegDecoder(compiled)
    own.open(bytes).decode(0)
    expect(own.heapBytes() - bytes.length).toBeLessThan(1.5 * 2 ** 20)
  })

  it('is that of mozjpeg for the files that it refuses', async () => {
    const whole = await portrait('smiling')
    const damaged = whole.slice()
    // No code has this many ones.
    damaged.set([0xff, 0, 0xff, 0, 0xff, 0], whole.length / 2)
    expect(refusalOf(damaged)).toBe('damaged')
    expect(await testCodecs.decode('jpeg', damaged)).toEqual(await decodeWithMozjpeg(damaged))
  })
})
