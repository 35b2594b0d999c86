import type { Engine, ModelId } from '../../inference/engine.ts'
import { lookUpNetwork } from '../look-up-network.ts'
import type { Pyramid } from '../pyramid.ts'
import { decodeFrames, type PlacedCharacter } from './decode-frames.ts'
import { normaliseStrip, pitch, type StripPlan, sampleStrip, stride, stripHeight } from './strip.ts'

/** What a strip says. */
export interface LineReading {
  /** In the direction of reading, with their places in columns of the strip. */
  characters: readonly PlacedCharacter[]
  /** Mean probability of the characters; 0 if there are none. */
  confidence: number
}

/** Reads one line of a machine-readable zone. */
export type LineReader = (pyramid: Pyramid, plan: StripPlan) => Promise<LineReading>

/**
 * Reads a strip of grey levels.
 * @param strip `[32 · width]`, 0…255, width a multiple of 4; capital letters about 20 pixels high, a character every 14 pixels
 * @throws {AppError} `engine_unavailable`
 */
export type StripReader = (strip: Float32Array, width: number) => Promise<LineReading>

/** `mrz-lines-1` (`models/cards/mrz-lines-1.md`): input `[1,1,32,w]`, normalised; output `logits` `[1,w/4,38]`. */
const readWithMrzLines =
  (engine: Engine): StripReader =>
  async (strip, width) => {
    const data = normaliseStrip(strip, width)
    const { logits } = await engine.run('mrz-lines-1', { data, shape: [1, 1, stripHeight, width] })
    const characters = decodeFrames(logits!.data, pitch / stride).map((character) => ({
      ...character,
      place: character.place * stride,
    }))
    const sum = characters.reduce((total, { probability }) => total + probability, 0)
    return { characters, confidence: characters.length > 0 ? sum / characters.length : 0 }
  }

const readers: Readonly<Record<ModelId, (engine: Engine) => StripReader>> = {
  'mrz-lines-1': readWithMrzLines,
}

/**
 * Opens the line reader of a network.
 * @throws {TypeError} for a network of another task
 */
export const openStripReader = (engine: Engine, model: ModelId): StripReader =>
  lookUpNetwork(readers, model, 'read machine-readable zones')(engine)

/** Opens the line reader of a network, for lines of a picture. */
export function openLineReader(engine: Engine, model: ModelId): LineReader {
  const read = openStripReader(engine, model)
  return (pyramid, plan) => read(sampleStrip(pyramid, plan), plan.width)
}
