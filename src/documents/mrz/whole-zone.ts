import type { MrzReading } from '../reading.ts'

/** Characters of the shortest lines of zones with two and three lines, less two that may be lost. */
const lengthsMin: Readonly<Record<number, number>> = { 2: 34, 3: 28 }

/** Whether a zone has all of its length, so that its place says where its page is. Zones of one line do not. */
export function isWholeZone({ lines }: MrzReading): boolean {
  const lengthMin = lengthsMin[lines.length]
  return lengthMin !== undefined && lines.every(({ characters }) => characters.length >= lengthMin)
}
