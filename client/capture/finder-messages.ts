/** What the face finder tells, and what the page and its worker tell each other. */

/** Side of the square picture that the network reads. */
export const inputSide = 256

/** Addresses to open, or a picture to look at: RGBA, `inputSide` by `inputSide`. */
export type FinderOrder = { kernel: string; network: string } | { pixels: ArrayBuffer }

/** A face in pixels of the picture. */
export interface FoundBox {
  /** Its middle. */
  x: number
  y: number
  /** From ear to ear. */
  side: number
  /** How far the nose lies beside the middle of the eyes, along their line, in distances between the eyes; positive to the person's left. */
  turn: number
  /** The same below their line. */
  nod: number
}

export type FinderAnswer = 'ready' | 'failed' | readonly FoundBox[]

/** A face, in shares of what the stage shows. */
export interface FoundFace {
  /** Its middle. */
  x: number
  y: number
  /** From ear to ear, as a share of the stage's width. */
  width: number
  /** As of a box: 0 for a face that looks straight. */
  turn: number
  /** As of a box: about 0.6 for a face that looks straight. */
  nod: number
}
