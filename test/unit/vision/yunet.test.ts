/** YuNet's tensors: the layout of the input, and the decoding of the outputs. */
import { describe, expect, it } from 'vitest'
import type { Engine, Tensor } from '../../../src/inference/engine.ts'
import type { RgbaImage } from '../../../src/media/rgba-image.ts'
import { openYunet } from '../../../src/vision/detectors/yunet.ts'
import { testCodecs } from '../../fixtures/codecs.ts'
import { ramp } from '../../fixtures/pictures.ts'

/** Output of one cell of one stride. */
interface Cell {
  stride: 8 | 16 | 32
  column: number
  row: number
  cls: number
  obj: number
  /** Centre within the cell and logarithmic size, in strides. */
  bbox: [number, number, number, number]
  /** Right eye, left eye, nose, right and left corner of the mouth, from the cell's corner in strides. */
  kps: number[]
}

/** A fake network with faces in the given cells only. */
function networkThatSays(cells: readonly Cell[]): Engine & { seen: Tensor[] } {
  const seen: Tensor[] = []
  return {
    seen,
    async run(model, image) {
      expect(model).toBe('yunet-2023mar')
      seen.push(image)
      const [, , height, width] = image.shape as [number, number, number, number]
      const outputs: Record<string, Tensor> = {}
      for (const stride of [8, 16, 32] as const) {
        const columns = width / stride
        const count = columns * (height / stride)
        for (const [name, length] of Object.entries({ cls: 1, obj: 1, bbox: 4, kps: 10 })) {
          const data = new Float32Array(count * length)
          for (const cell of cells) {
            if (cell.stride !== stride) continue
            const value = cell[name as 'cls' | 'obj' | 'bbox' | 'kps']
            data.set([value].flat(), (cell.row * columns + cell.column) * length)
          }
          outputs[`${name}_${stride}`] = { data, shape: [1, count, length] }
        }
      }
      return outputs
    },
  }
}

const cell: Cell = {
  stride: 16,
  column: 2,
  row: 1,
  cls: 0.81,
  obj: 1,
  bbox: [0.5, 0.25, Math.log(3), Math.log(4)],
  kps: [-0.5, -0.5, 1.5, -0.5, 0.5, 0.5, 0, 1.5, 1, 1.5],
}
const image: RgbaImage = ramp(96, 64)

describe('the faces of YuNet', () => {
  it('YuNet faces are decoded from cell, stride and logarithmic size', async () => {
    const [face, ...others] = await openYunet(networkThatSays([cell])).detect(image, testCodecs.pictures)
    expect(others).toEqual([])
    expect(face!.confidence).toBeCloseTo(0.9, 5)
    // Centre at (2.5, 1.25) strides, size 3 × 4 strides.
    const { x, y, width, height } = face!.box
    for (const [actual, expected] of [
      [x, 16],
      [y, -12],
      [width, 48],
      [height, 64],
    ] as const)
      expect(actual).toBeCloseTo(expected, 3)
    expect(face!.keypoints).toEqual({
      rightEye: { x: 24, y: 8 },
      leftEye: { x: 56, y: 8 },
      nose: { x: 40, y: 24 },
      // Between the corners.
      mouth: { x: 40, y: 40 },
    })
  })

  it('YuNet faces are reported from confidence 0.6 on, which depends on both factors', async () => {
    const certainties = async (cls: number, obj: number) =>
      (await openYunet(networkThatSays([{ ...cell, cls, obj }])).detect(image, testCodecs.pictures)).map(
        ({ confidence }) => confidence,
      )
    expect(await certainties(0.35, 1)).toEqual([])
    expect(await certainties(1, 0.35)).toEqual([])
    expect((await certainties(0.37, 1))[0]).toBeCloseTo(Math.sqrt(0.37), 5)
    expect(await certainties(1.7, 4)).toEqual([1])
  })

  it('YuNet faces that several cells detect are merged; the most confident is kept', async () => {
    const beside = {
      ...cell,
      column: 3,
      bbox: [-0.4, 0.25, Math.log(3), Math.log(4)] as Cell['bbox'],
      cls: 0.64,
    }
    const elsewhere = {
      ...cell,
      cls: 0.7,
      stride: 8 as const,
      column: 11,
      row: 7,
      bbox: [0, 0, 0, 0] as Cell['bbox'],
    }
    const faces = await openYunet(networkThatSays([beside, cell, elsewhere])).detect(
      image,
      testCodecs.pictures,
    )
    expect(faces.map(({ box }) => Math.round(box.x))).toEqual([16, 84])
    expect(faces[0]!.confidence).toBeCloseTo(0.9, 5)
  })
})

describe('the input of YuNet', () => {
  it('YuNet input has planes of blue, green and red, padded with black to multiples of 32', async () => {
    const network = networkThatSays([])
    const small = ramp(33, 5)
    expect(await openYunet(network).detect(small, testCodecs.pictures)).toEqual([])
    const { data, shape } = network.seen[0]!
    expect(shape).toEqual([1, 3, 32, 64])
    const plane = 32 * 64
    for (const [x, y] of [
      [0, 0],
      [32, 0],
      [7, 4],
    ] as const) {
      const [red, green, blue] = small.data.subarray((y * 33 + x) * 4)
      const at = y * 64 + x
      expect([data[at], data[at + plane], data[at + plane * 2]]).toEqual([blue, green, red])
    }
    for (const [x, y] of [
      [33, 0],
      [63, 4],
      [0, 5],
    ] as const) {
      for (const c of [0, 1, 2]) expect(data[c * plane + y * 64 + x]).toBe(0)
    }
  })
})
