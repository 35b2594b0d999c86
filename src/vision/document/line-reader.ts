import type { Engine, ModelId } from '../../inference/engine.ts'
import { lookUpNetwork } from '../look-up-network.ts'
import type { Pyramid } from '../pyramid.ts'
import { decodeChances, type PlacedCharacter, toProbabilities } from './decode-frames.ts'
import { normaliseStrip, pitch, type StripPlan, sampleStrip, stride, stripHeight } from './strip.ts'

/** What a strip says. */
export interface LineReading {
  /** In the direction of reading, with their places in columns of the strip. */
  characters: readonly PlacedCharacter[]
  /** Mean probability of the characters; 0 if there are none. */
  confidence: number
  /** The same strip, as it reads if its number of characters is known: some at the ends may be missing, or too many. */
  settle(count: number): readonly PlacedCharacter[]
}

/** Mean probability of characters; 0 if there are none. */
const averageProbability = (characters: readonly PlacedCharacter[]): number =>
  characters.length > 0
    ? characters.reduce((total, { probability }) => total + probability, 0) / characters.length
    : 0

/**
 * The reading of the outputs of a network.
 * @param chances `[frames · 38]`
 * @param frameWidth columns of the strip per frame
 */
export function toReading(chances: Float32Array, frameWidth: number): LineReading {
  const decode = (count?: number) =>
    decodeChances(chances, pitch / frameWidth, count).map((character) => ({
      ...character,
      place: character.place * frameWidth,
    }))
  const characters = decode()
  return { characters, confidence: averageProbability(characters), settle: decode }
}

/** Reads one line of a machine-readable zone. */
export type LineReader = (pyramid: Pyramid, plan: StripPlan) => Promise<LineReading>

/**
 * Reads a strip of grey levels.
 * @param strip `[32 · width]`, 0…255, width a multiple of 4; capital letters about 20 pixels high, a character every 14 pixels
 * @throws {AppError} `engine_unavailable`
 */
type StripReader = (strip: Float32Array, width: number) => Promise<LineReading>

/** `mrz-lines-1` (`models/cards/mrz-lines-1.md`): input `[1,1,32,w]`, normalised; output `logits` `[1,w/4,38]`. */
const readWithMrzLines =
  (engine: Engine): StripReader =>
  async (strip, width) => {
    const data = normaliseStrip(strip, width)
    const { logits } = await engine.run('mrz-lines-1', { data, shape: [1, 1, stripHeight, width] })
    return toReading(toProbabilities(logits!.data), stride)
  }

const readers: Readonly<Record<ModelId, (engine: Engine) => StripReader>> = {
  'mrz-lines-1': readWithMrzLines,
}

/**
 * Opens the line reader of a network.
 * @throws {TypeError} for a network of another task
 */
const openStripReader = (engine: Engine, model: ModelId): StripReader =>
  lookUpNetwork(readers, model, 'read machine-readable zones')(engine)

/** Opens the line reader of a network, for lines of a picture. */
export function openLineReader(engine: Engine, model: ModelId): LineReader {
  const read = openStripReader(engine, model)
  return (pyramid, plan) => read(sampleStrip(pyramid, plan), plan.width)
}
