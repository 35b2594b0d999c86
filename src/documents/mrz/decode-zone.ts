/** Turns the readings of a machine-readable zone into its text, with the proof of its check digits. */
import type { CharacterReading, MrzReading } from '../reading.ts'
import { checkDigit, weightAt } from './check-digit.ts'
import { judgeCertainty, listChoices } from './choices.ts'
import { fitLines } from './fit-lines.ts'
import {
  alphabets,
  beginsAs,
  type CheckName,
  type CheckPlace,
  type MrzFormat,
  type MrzFormatName,
  mrzFormats,
  type Range,
} from './formats.ts'
import { findLongNumber, longNumberChecks } from './long-number.ts'
import { type Proof, proveText, type Slot } from './prove.ts'

/** `unsure`: it does not hold as read, and the reading is too doubtful to say that it does not hold as printed. */
type CheckState = 'valid' | 'invalid' | 'unsure'

interface ZoneCheck {
  readonly name: CheckName
  readonly state: CheckState
}

/** The text of a zone. */
export interface DecodedZone {
  readonly format: MrzFormatName
  /** As read; where check digits prove it, with corrections. */
  readonly lines: readonly string[]
  /** Probability of each character, 0 to 1, in the order of `lines`. */
  readonly certainty: readonly (readonly number[])[]
  /** Characters that differ from the most probable reading. */
  readonly corrections: number
  /** Empty for formats without check digits. */
  readonly checks: readonly ZoneCheck[]
  /** Whether there are check digits, and all hold. */
  readonly isProven: boolean
  /** Probability that the whole text is right, 0 to 1. */
  readonly confidence: number
}

/** Minimum probability of a corrected text, and of a broken check digit that is called invalid. */
const sureMin = 0.9

interface Place {
  readonly line: number
  readonly column: number
}

const placesOf = (ranges: readonly Range[]): Place[] =>
  ranges.flatMap(({ line, start, end }) =>
    Array.from({ length: end - start }, (_, index) => ({ line, column: start + index })),
  )

const keyOf = ({ line, column }: Place): number => line * 100 + column

/** The checks of a format as they apply to this zone. */
interface AppliedChecks {
  readonly checks: readonly CheckPlace[]
  readonly composite: CheckPlace | null
}

interface Zone extends AppliedChecks {
  readonly format: MrzFormat
  readonly lines: readonly (readonly CharacterReading[])[]
}

const textOf = (readings: readonly CharacterReading[]): string =>
  readings.map(({ symbol }) => symbol).join('')

/** The alphabet of a character; that of check digits and separators where no field is. */
function alphabetAt({ format, checks, composite }: Zone, { line, column }: Place): string {
  const isCheck = [...checks, ...(composite ? [composite] : [])].some(
    ({ at }) => at.line === line && at.column === column,
  )
  if (isCheck) return alphabets.digits
  const field = format.fields.find(
    (candidate) => candidate.line === line && candidate.start <= column && column < candidate.end,
  )
  return field ? alphabets[field.alphabet] : alphabets.digits
}

/** The slots of the fields with check digits, then those that only the composite one covers. */
function slotGroups(zone: Zone, checks: readonly CheckPlace[], composite: CheckPlace | null) {
  const compositeWeights = new Map<number, number>()
  if (composite) {
    for (const [index, place] of placesOf(composite.over).entries())
      compositeWeights.set(keyOf(place), weightAt(index))
    compositeWeights.set(keyOf(composite.at), -1)
  }
  const taken = new Set<number>()
  const slot = (place: Place, own: number): Slot & Place => {
    taken.add(keyOf(place))
    const reading = zone.lines[place.line]![place.column]!
    return {
      ...place,
      choices: listChoices(reading, alphabetAt(zone, place), true),
      own,
      composite: compositeWeights.get(keyOf(place)) ?? 0,
    }
  }
  const groups = checks.map(({ over, at }) => [
    ...placesOf(over).map((place, index) => slot(place, weightAt(index))),
    slot(at, -1),
  ])
  const rest = composite
    ? [...placesOf(composite.over), composite.at].filter((place) => !taken.has(keyOf(place)))
    : []
  return rest.length > 0 ? [...groups, rest.map((place) => slot(place, 0))] : groups
}

/** Only an empty field may have a filler for its check digit. */
function isAllowed(lines: readonly string[], { over, at }: CheckPlace): boolean {
  if (lines[at.line]![at.column] !== '<') return true
  return over.every(({ line, start, end }) => /^<*$/.test(lines[line]!.slice(start, end)))
}

/** Whether a check digit holds. */
function holds(lines: readonly string[], place: CheckPlace): boolean {
  const { over, at } = place
  const covered = over.map(({ line, start, end }) => lines[line]!.slice(start, end)).join('')
  const printed = lines[at.line]![at.column]
  return isAllowed(lines, place) && checkDigit(covered) === (printed === '<' ? 0 : Number(printed))
}

interface Decoding {
  readonly text: string[][]
  readonly certainty: number[][]
}

/** Takes over a proven text. */
function apply({ text, certainty }: Decoding, slots: readonly (Slot & Place)[], proof: Proof): void {
  for (const [index, { line, column }] of slots.entries()) {
    text[line]![column] = proof.text![index]!
    certainty[line]![column] = Math.max(certainty[line]![column]!, proof.probability)
  }
}

/** A character as it was read, without the help of check digits. */
function readUncovered(zone: Zone, isCovered: (place: Place) => boolean): Decoding {
  const decoding: Decoding = { text: [], certainty: [] }
  for (const [line, readings] of zone.lines.entries()) {
    const choices = readings.map((reading, column) =>
      listChoices(reading, alphabetAt(zone, { line, column }), false),
    )
    decoding.text.push(
      readings.map(({ symbol }, column) => {
        const isOpen = !isCovered({ line, column })
        return isOpen ? (choices[column]![0]?.symbol ?? symbol) : symbol
      }),
    )
    decoding.certainty.push(
      readings.map(({ probability }, column) =>
        isCovered({ line, column }) ? probability : judgeCertainty(choices[column]!),
      ),
    )
  }
  return decoding
}

function decodeLines(zone: Zone): DecodedZone {
  const { checks, composite, format } = zone
  const all = [...checks, ...(composite ? [composite] : [])]
  const covered = new Set(all.flatMap(({ over, at }) => [...placesOf(over), at]).map(keyOf))
  const decoding = readUncovered(zone, (place) => covered.has(keyOf(place)))
  const joint = slotGroups(zone, checks, composite)
  const proof = proveText(joint, all.length)
  const isSure = ({ text, probability }: Proof) => text !== null && probability >= sureMin
  const proofs = checks.map((check) => {
    const groups = slotGroups(zone, [check], null)
    return { groups, proof: proveText(groups, 1) }
  })
  // The fields alone are less doubtful than all of them together.
  for (const { groups, proof: own } of proofs) {
    if (isSure(own)) apply(decoding, groups.flat(), own)
  }
  if (all.length > 0 && isSure(proof)) apply(decoding, joint.flat(), proof)
  const lines = decoding.text.map((symbols) => symbols.join(''))
  const stateOf = (check: CheckPlace, { broken }: Proof): CheckState => {
    if (holds(lines, check)) return 'valid'
    return broken >= sureMin ? 'invalid' : 'unsure'
  }
  const states = checks.map((check, index) => ({
    name: check.name,
    state: stateOf(check, proofs[index]!.proof),
  }))
  if (composite) {
    // Alone, so that a broken field counts only once.
    const alone = proveText(slotGroups(zone, [], composite), 1)
    states.push({ name: 'composite', state: stateOf(composite, alone) })
  }
  const isProven = states.length > 0 && states.every(({ state }) => state === 'valid')
  const open = decoding.certainty.flatMap((values, line) =>
    values.filter((_, column) => !(isProven && covered.has(keyOf({ line, column })))),
  )
  return {
    format: format.name,
    lines,
    certainty: decoding.certainty,
    corrections: zone.lines
      .flatMap((readings, line) => readings.map(({ symbol }, column) => symbol !== lines[line]![column]))
      .filter(Boolean).length,
    checks: states,
    isProven,
    confidence: open.reduce((product, value) => product * value, isProven ? proof.probability : 1),
  }
}

const countValid = ({ checks }: DecodedZone): number => checks.filter(({ state }) => state === 'valid').length

/** The zone in one format; `null` if it cannot have it. */
function decodeAs(format: MrzFormat, zone: MrzReading): DecodedZone | null {
  const { ways, isGuessed } = fitLines(
    zone.lines.map(({ characters }) => characters),
    format,
  )
  const decoded = ways.map((lines) => {
    const tail = format.hasLongNumbers ? findLongNumber(format, lines.map(textOf)) : null
    const { checks, composite } = format
    if (!tail) return decodeLines({ format, lines, checks, composite })
    const variants = longNumberChecks(format, tail).map((long) =>
      decodeLines({
        ...{ format, lines, composite },
        checks: checks.map((check) => (check.name === long.name ? long : check)),
      }),
    )
    return variants.reduce((best, other) => (countValid(other) > countValid(best) ? other : best))
  })
  if (!isGuessed) return decoded[0] ?? null
  // Without a composite check digit nothing covers all characters behind the missing one.
  const proven = decoded.filter(({ isProven }) => isProven && format.composite !== null)
  return proven.length === 1 ? proven[0]! : null
}

/**
 * Reads the text of a zone. A character is corrected only where check digits prove it: of all texts that the reader proposes,
 * one must hold with a probability of 0.9, measured against the others and against a document whose check digits are wrong.
 * @returns `null` if it has the lines of no known format
 * @example
 * ```ts
 * import { readText } from '../../../test/fixtures/mrz.ts'
 * import { decodeZone } from './decode-zone.ts'
 *
 * const zone = readText(
 *   'I<UTOD231458907<<<<<<<<<<<<<<<',
 *   '74O8122F1204159UTO<<<<<<<<<<<6',
 *   'ERIKSSON<<ANNA<MARIA<<<<<<<<<<',
 * )
 * decodeZone(zone)?.lines[1] // → '7408122F1204159UTO<<<<<<<<<<<6'
 * ```
 */
export function decodeZone(zone: MrzReading): DecodedZone | null {
  const [first = [], second = []] = zone.lines.map(({ characters }) => characters)
  for (const format of mrzFormats) {
    if (format.lengths.length !== zone.lines.length) continue
    if (!beginsAs(format, textOf(first), textOf(second))) continue
    const decoded = decodeAs(format, zone)
    if (decoded) return decoded
  }
  return null
}
