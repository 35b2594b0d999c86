/** What is read on a picture of a document, before it is interpreted. Plain data, without pixels. */

/** A point in pixels of the picture as sent, upright. */
export interface Point {
  readonly x: number
  readonly y: number
}

/** Four corners, clockwise from the top left of the text. */
export type Quad = readonly [Point, Point, Point, Point]

/** A symbol that the reader considers, with its probability of 0 to 1. */
export interface CharacterChoice {
  readonly symbol: string
  readonly probability: number
}

/** One character of a line: the most probable symbol, and the next best ones, sorted. */
export interface CharacterReading extends CharacterChoice {
  readonly others: readonly CharacterChoice[]
}

/** A line of a machine-readable zone, from left to right. */
interface MrzLineReading {
  readonly characters: readonly CharacterReading[]
}

/** A machine-readable zone: its lines from top to bottom. */
export interface MrzReading {
  readonly lines: readonly MrzLineReading[]
  readonly place: Quad
  /** Whether the zone was readable only in a mirror. */
  readonly isMirrored: boolean
}

/** A line of printed text of the page. */
export interface TextLineReading {
  readonly text: string
  /** Mean probability of its characters, 0 to 1. */
  readonly confidence: number
  readonly place: Quad
}

/** Signs of a recapture. They are hints: no decision depends on them. `null` if unknown. */
export interface RecaptureHints {
  readonly isScreen: boolean | null
  readonly isCopy: boolean | null
}

/** What is read on one picture of a document. */
export interface DocumentReading {
  /** Machine-readable zones, the largest first. Empty if there is none. */
  readonly zones: readonly MrzReading[]
  /** Lines of the visual zone. `null` if the page was not read, such as on Workers. */
  readonly lines: readonly TextLineReading[] | null
  readonly hints: RecaptureHints
  /** Whether the picture shows both pages of a booklet. `null` if unknown. */
  readonly doublePageSpread: boolean | null
}
