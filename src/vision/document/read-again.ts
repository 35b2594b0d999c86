/** Reads a line some more times, a little larger, smaller and moved: a character that changes with that is doubtful. */
import type { Pyramid } from '../pyramid.ts'
import { combineReadings } from './combine-readings.ts'
import type { PlacedCharacter } from './decode-frames.ts'
import type { LineReader, LineReading } from './line-reader.ts'
import { pitch, type StripPlan, varyPlan } from './strip.ts'

/** The number of characters that most readings have, of several the first one. */
function usualCount(readings: readonly (readonly PlacedCharacter[])[]): number {
  const counts = readings.map(({ length }) => length)
  const votes = (count: number) => counts.filter((other) => other === count).length
  return counts.reduce((best, count) => (votes(count) > votes(best) ? count : best))
}

/** By half a frame, and by as much as lines are placed wrongly. */
const variants = [
  { zoom: 0.98, moved: { columns: 2, rows: 0.8 } },
  { zoom: 0.92, moved: { columns: 3, rows: -0.8 } },
]

/**
 * @param first what has been read with the plan
 * @param count of characters, if it is known
 * @returns the mean of the readings, with places in columns of the plan
 * @throws {AppError} `engine_unavailable`
 */
export async function readAgain(
  read: LineReader,
  pyramid: Pyramid,
  plan: StripPlan,
  first: LineReading,
  count: number | null,
): Promise<readonly PlacedCharacter[]> {
  const charactersOf = ({ characters, settle }: LineReading) => (count === null ? characters : settle(count))
  const readings = [charactersOf(first)]
  for (const { zoom, moved } of variants) {
    const reading = await read(pyramid, varyPlan(plan, zoom, moved))
    readings.push(
      charactersOf(reading).map((character) => ({
        ...character,
        place: (character.place - moved.columns) / zoom,
      })),
    )
  }
  const usual = usualCount(readings)
  readings.sort((a, b) => Number(b.length === usual) - Number(a.length === usual))
  return combineReadings(readings, pitch)
}
