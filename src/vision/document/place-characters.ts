/** Finds the places of the characters of a line whose distances are nearly equal. */

/** Places that are tried, per frame. */
const steps = 4
/** What a place without print costs: less than a place with print is worth. */
const absence = 0.45
/** Least and greatest distance of two characters, in usual distances of the line. */
const gapMin = 0.74
const gapMax = 1.34
/** How much a distance may differ from the one before it, and from that of the whole line, where perspective changes it slowly. */
const changeCost = 7
const deviationCost = 3
/** The distance that a line shows is taken within these limits, in those that it was cut for. */
const distanceMin = 0.65
const distanceMax = 1.55
/** Characters from which on a line shows its distance. */
const shownMin = 6

interface PlacedLine {
  /** Middles of the characters, in frames; whole numbers are the beginnings of frames. */
  places: number[]
  /** Usual distance, in frames. */
  distance: number
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** The middle of the print between two places, weighted; a share of the weight is the expected place's. */
function centre(presence: Float32Array, expected: number, half: number): number {
  const share = 0.2
  let [weight, moment] = [share, share * expected]
  for (let frame = Math.max(0, Math.ceil(expected - half - 0.5)); frame < presence.length; frame++) {
    if (frame + 0.5 > expected + half) break
    weight += presence[frame]!
    moment += presence[frame]! * (frame + 0.5)
  }
  return moment / weight
}

/** The distance of characters that stand apart. */
function measureDistance(presence: Float32Array, usual: number): number {
  const middles: number[] = []
  for (let frame = 0; frame < presence.length; frame++) {
    if (presence[frame]! < 0.5) continue
    let [weight, moment] = [0, 0]
    for (; frame < presence.length && presence[frame]! >= 0.5; frame++) {
      weight += presence[frame]!
      moment += presence[frame]! * (frame + 0.5)
    }
    middles.push(moment / weight)
  }
  const gaps = middles
    .slice(1)
    .map((middle, i) => middle - middles[i]!)
    .filter((gap) => gap > distanceMin * usual && gap < distanceMax * usual)
  return gaps.length + 1 >= shownMin ? median(gaps) : usual
}

/**
 * The regular places with the most print: dynamic programming over the place of a character and its distance from the one before.
 * @param presence probability of print, for each frame
 * @param usual distance of characters, in frames
 * @returns no places if there is no print
 */
export function placeCharacters(presence: Float32Array, usual: number): PlacedLine {
  const distance = measureDistance(presence, usual)
  const count = presence.length * steps
  const worth = new Float64Array(count)
  for (let at = 0; at < count; at++) {
    const place = (at + 0.5) / steps - 0.5
    const before = Math.max(0, Math.floor(place))
    const after = Math.min(presence.length - 1, before + 1)
    const share = Math.max(0, place - before)
    worth[at] = presence[before]! * (1 - share) + presence[after]! * share - absence
  }
  const first = Math.max(1, Math.ceil(gapMin * distance * steps))
  const gaps = Math.max(1, Math.floor(gapMax * distance * steps) - first + 1)
  const costs = new Float64Array(gaps * gaps)
  const deviations = new Float64Array(gaps)
  const weights = new Float64Array(gaps)
  for (let gap = 0; gap < gaps; gap++) {
    const length = (first + gap) / steps
    // Counted by its length, a stretch of print is worth the same with few characters and with many.
    weights[gap] = length / distance
    deviations[gap] = deviationCost * Math.log(length / distance) ** 2
    for (let last = 0; last < gaps; last++)
      costs[gap * gaps + last] = changeCost * Math.log((first + gap) / (first + last)) ** 2
  }
  // The best line that ends at a place with a distance, and the distance before that; -1 where it begins.
  const best = new Float64Array(count * gaps).fill(Number.NEGATIVE_INFINITY)
  const origins = new Int16Array(count * gaps).fill(-1)
  let [top, end] = [0, -1]
  for (let at = 0; at < count; at++) {
    for (let gap = 0; gap < gaps; gap++) {
      const before = at - first - gap
      if (before < 0) break
      let reached = worth[before]!
      let origin = -1
      for (let last = 0; last < gaps; last++) {
        const value = best[before * gaps + last]! - costs[gap * gaps + last]!
        if (value > reached) [reached, origin] = [value, last]
      }
      const value = reached + worth[at]! * weights[gap]! - deviations[gap]!
      best[at * gaps + gap] = value
      origins[at * gaps + gap] = origin
      if (value > top) [top, end] = [value, at * gaps + gap]
    }
  }
  if (end === -1) {
    const at = worth.reduce((most, value, i) => (value > worth[most]! ? i : most), 0)
    const isPrint = count > 0 && worth[at]! > 0
    return { places: isPrint ? [(at + 0.5) / steps] : [], distance }
  }
  const places: number[] = []
  for (let state = end; ; ) {
    const [at, gap] = [Math.floor(state / gaps), state % gaps]
    places.unshift((at + 0.5) / steps)
    const [before, origin] = [at - first - gap, origins[state]!]
    if (origin === -1) {
      places.unshift((before + 0.5) / steps)
      break
    }
    state = before * gaps + origin
  }
  return { places: places.map((place) => centre(presence, place, 0.45 * distance)), distance }
}

/** Characters of a line that are missing or too many at most, if its number is known. */
const missedMax = 3

/** Lines end with fillers, which are easily missed, and begin with letters and digits, which are not. */
const beginMin = 0.3

/** Print at a place, where neighbouring frames count too; -1 outside of the strip. */
function presenceAt(presence: Float32Array, place: number): number {
  if (place < 0 || place >= presence.length) return -1
  const frame = Math.floor(place)
  return Math.max(presence[frame]!, presence[frame - 1] ?? 0, presence[frame + 1] ?? 0)
}

/** The places of a line whose number of characters is known: weak ones are added, or removed, at the ends. */
export function settleCount(
  presence: Float32Array,
  { places, distance }: PlacedLine,
  count: number,
): PlacedLine {
  if (places.length < 2 || Math.abs(count - places.length) > missedMax) return { places, distance }
  const settled = [...places]
  while (settled.length > count) {
    const [first, last] = [settled[0]!, settled.at(-1)!]
    if (presenceAt(presence, first) < presenceAt(presence, last)) settled.shift()
    else settled.pop()
  }
  while (settled.length < count) {
    const [before, after] = [settled[0]! - distance, settled.at(-1)! + distance]
    const [first, last] = [presenceAt(presence, before), presenceAt(presence, after)]
    if (first === -1 && last === -1) return { places, distance }
    if (first > Math.max(last, beginMin)) settled.unshift(before)
    else settled.push(after)
  }
  return { places: settled, distance }
}
