import type { Engine, ModelId } from '../../../inference/engine.ts'
import type { Pyramid } from '../../pyramid.ts'
import { warpToTensor } from '../../resample.ts'
import { type DecodedCharacter, decodeCtc } from './ctc.ts'
import { cropMap, type RotatedBox } from './rotated-box.ts'

/** Height of a line that the network takes. */
export const lineHeight = 48
/** Pixels of a line per step of the output. */
export const stepWidth = 8
/** Longer lines are compressed. */
export const widthMax = 1600
const widthMin = 32

/** Name of the output in the file of the package. */
const probabilitiesName = 'softmax_11.tmp_0'

/** The width at which a line is read, in pixels: the cost of reading it. */
export const readingWidth = ({ width, height }: RotatedBox): number =>
  Math.min(widthMax, Math.max(widthMin, Math.ceil((width * lineHeight) / height / stepWidth) * stepWidth))

/** The text of one line, without its place. */
export interface RecognisedLine {
  readonly characters: readonly DecodedCharacter[]
  readonly steps: number
}

/** Mean probability of the characters; 0 if there are none. */
export const lineConfidence = (characters: readonly DecodedCharacter[]): number =>
  characters.length === 0
    ? 0
    : characters.reduce((sum, { probability }) => sum + probability, 0) / characters.length

/** Probabilities of the characters along a line. */
export interface LineChances {
  /** `[steps, 1 + characters]`; the first class is none. */
  readonly probabilities: Float32Array
  /** Code points of the classes from the second on. */
  readonly characters: ArrayLike<number>
}

/**
 * The text recognition network of PP-OCRv4 (PaddleOCR).
 *
 * Input `[1,3,48,W]` BGR −1…1, W a multiple of 8; outputs: probabilities `[1,W/8,1 + characters]` for CTC decoding, and `characters`, the
 * code points of the classes from the second on.
 * @param data `[3,48,width]` BGR 0…255; is overwritten
 * @throws {AppError} `engine_unavailable`
 */
export async function recogniseStrip(
  engine: Engine,
  model: ModelId,
  data: Float32Array,
  width: number,
): Promise<LineChances> {
  for (let i = 0; i < data.length; i++) data[i] = data[i]! / 127.5 - 1
  const outputs = await engine.run(model, { data, shape: [1, 3, lineHeight, width] })
  const { characters, [probabilitiesName]: probabilities } = outputs
  return { probabilities: probabilities!.data, characters: characters!.data }
}

/**
 * Reads a line of a picture.
 * @throws {AppError} `engine_unavailable`
 */
export async function recogniseLine(
  engine: Engine,
  model: ModelId,
  pyramid: Pyramid,
  box: RotatedBox,
): Promise<RecognisedLine> {
  const width = readingWidth(box)
  const data = warpToTensor(pyramid, cropMap(box, width, lineHeight), {
    ...{ width, height: lineHeight, order: 'bgr', outside: 'border', sampling: 'averaged' },
  })
  const { probabilities, characters } = await recogniseStrip(engine, model, data, width)
  const classes = characters.length + 1
  return { characters: decodeCtc(probabilities, classes, characters), steps: probabilities.length / classes }
}
