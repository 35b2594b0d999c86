/** Decodes the output of a CTC network: one distribution over the characters for each step along the line. */

/** A character and the step at which it is most probable. */
export interface DecodedCharacter {
  readonly symbol: string
  readonly probability: number
  readonly step: number
}

/**
 * Greedy decoding: the most probable class of each step; repeated classes are one character, class 0 is none.
 * @param probabilities `[steps,classes]`
 * @param characters code points of the classes from 1 on
 */
export function decodeCtc(
  probabilities: Float32Array,
  classes: number,
  characters: ArrayLike<number>,
): DecodedCharacter[] {
  const decoded: DecodedCharacter[] = []
  let previous = 0
  for (let step = 0; (step + 1) * classes <= probabilities.length; step++) {
    const from = step * classes
    let best = 0
    for (let i = 1; i < classes; i++) if (probabilities[from + i]! > probabilities[from + best]!) best = i
    const probability = probabilities[from + best]!
    const last = decoded.at(-1)
    if (best === 0) previous = 0
    else if (best !== previous) {
      decoded.push({ symbol: String.fromCodePoint(characters[best - 1]!), probability, step })
      previous = best
    } else if (last && probability > last.probability)
      decoded[decoded.length - 1] = { ...last, probability, step }
  }
  return decoded
}
