/** Headers of frames (9), and what they say about frames that follow. */
import { readBits, readBool, readFlag, readSigned, startBools } from './bool'
import {
  coefficientBytes, coefficientUpdates, defaultCoefficients, defaultModes, defaultMotion, modeBytes, motionBytes, motionUpdates,
} from './tables'

export const damaged = -1
export const unsupported = -2
export const tooLarge = -3

/** Of the frame. */
export let isKey = false
export let version = 0
export let isShown = false
/** In pixels, by the last key frame. */
export let columns = 0
export let rows = 0
export let isFullRange = false

/** Probabilities in force, and those that are put back behind a frame which does not refresh them. */
const probabilityBytes = coefficientBytes + motionBytes + modeBytes
export const coefficients = memory.data(probabilityBytes, 16)
export const motions = coefficients + coefficientBytes
export const modes = motions + motionBytes
const kept = memory.data(probabilityBytes, 16)
let areProbabilitiesKept = false

/** Segments: quantisers and filter levels, `int8 [4]`, absolute or added; their probabilities. */
export let hasSegments = false
export let hasMap = false
export let isAbsolute = false
export const segmentQuantisers = memory.data(4)
export const segmentLevels = memory.data(4)
export const segmentProbabilities = memory.data(3)

/** The loop filter: what kinds of prediction add to its level, `int8 [4]` by reference and by mode. */
export let isSimple = false
export let level = 0
export let sharpness = 0
export let hasDeltas = false
export const referenceDeltas = memory.data(4)
export const modeDeltas = memory.data(4)

/** The quantiser, and what is added for Y1 DC, Y2 DC and AC, chroma DC and AC. int8 [5] */
export let quantiser = 0
export const quantiserDeltas = memory.data(5)

/** Logarithm of the number of partitions of tokens. */
export let partitionsLog = 0

/** What the frame replaces, and by which other frame: 1 for the last one, 2 for the golden or the alternative one. */
export let refreshesLast = false
export let refreshesGolden = false
export let refreshesOther = false
export let goldenFrom = 0
export let otherFrom = 0
/** Whether motion from the golden frame, and from the other one, has its sign changed. */
export let goldenSign = 0
export let otherSign = 0

/** Whether macroblocks say that they have no tokens; probabilities of the frame. */
export let hasSkips = false
export let skipProbability = 0
export let interProbability = 0
export let lastProbability = 0
export let goldenProbability = 0

/** Start and size of the first partition; where the others begin. */
let firstAt: usize = 0
let firstBytes: u32 = 0
export let othersAt: usize = 0

/** Reads what is not coded (9.1). @returns 0 or a refusal */
export function readTag(at: usize, bytes: u32): i32 {
  if (bytes < 3) return damaged
  const tag = <u32>load<u16>(at) | (<u32>load<u8>(at, 2) << 16)
  isKey = (tag & 1) == 0
  version = (tag >> 1) & 7
  isShown = ((tag >> 4) & 1) != 0
  firstBytes = tag >> 5
  if (version > 3) return unsupported
  const head: u32 = isKey ? 10 : 3
  if (bytes < head || firstBytes > bytes - head) return damaged
  firstAt = at + head
  othersAt = firstAt + firstBytes
  if (!isKey) return 0
  if (load<u16>(at, 3) != 0x019d || load<u8>(at, 5) != 0x2a) return damaged
  // The two upper bits ask for scaling of what is shown.
  columns = load<u16>(at, 6) & 0x3fff
  rows = load<u16>(at, 8) & 0x3fff
  return columns == 0 || rows == 0 ? damaged : 0
}

function resetByKey(): void {
  memory.copy(coefficients, defaultCoefficients, coefficientBytes)
  memory.copy(motions, defaultMotion, motionBytes)
  memory.copy(modes, defaultModes, modeBytes)
  memory.fill(segmentQuantisers, 0, 4)
  memory.fill(segmentLevels, 0, 4)
  memory.fill(referenceDeltas, 0, 4)
  memory.fill(modeDeltas, 0, 4)
  isAbsolute = false
  // Each flag is a bit: colour space, and whether values need no clamping.
  readFlag()
  isFullRange = readFlag()
}

function readSegments(): void {
  hasSegments = readFlag()
  hasMap = false
  if (!hasSegments) return
  hasMap = readFlag()
  if (readFlag()) {
    isAbsolute = readFlag()
    for (let i = 0; i < 4; i++) store<i8>(segmentQuantisers + i, <i8>readSigned(7))
    for (let i = 0; i < 4; i++) store<i8>(segmentLevels + i, <i8>readSigned(6))
  }
  if (hasMap) for (let i = 0; i < 3; i++) store<u8>(segmentProbabilities + i, readFlag() ? <u8>readBits(8) : 255)
}

function readDeltas(at: usize): void {
  for (let i = 0; i < 4; i++)
    if (readFlag()) {
      const delta = readBits(6)
      store<i8>(at + i, <i8>(readFlag() ? -delta : delta))
    }
}

function readFilter(): void {
  isSimple = readFlag()
  level = readBits(6)
  sharpness = readBits(3)
  hasDeltas = readFlag()
  if (!hasDeltas || !readFlag()) return
  readDeltas(referenceDeltas)
  readDeltas(modeDeltas)
}

/** References (9.7), and whether probabilities last (9.11). */
function readReferences(): void {
  refreshesGolden = isKey || readFlag()
  refreshesOther = isKey || readFlag()
  goldenFrom = refreshesGolden ? 0 : readBits(2)
  otherFrom = refreshesOther ? 0 : readBits(2)
  goldenSign = isKey ? 0 : <i32>readFlag()
  otherSign = isKey ? 0 : <i32>readFlag()
  areProbabilitiesKept = !readFlag()
  if (areProbabilitiesKept) memory.copy(kept, coefficients, probabilityBytes)
  refreshesLast = isKey || readFlag()
}

/** Probabilities of the frame (9.9 to 9.11). */
function readProbabilities(): void {
  for (let i = 0; i < coefficientBytes; i++)
    if (readBool(load<u8>(coefficientUpdates + i))) store<u8>(coefficients + i, <u8>readBits(8))
  hasSkips = readFlag()
  skipProbability = hasSkips ? readBits(8) : 0
  if (isKey) return
  interProbability = readBits(8)
  lastProbability = readBits(8)
  goldenProbability = readBits(8)
  if (readFlag()) for (let i = 0; i < 4; i++) store<u8>(modes + i, <u8>readBits(8))
  if (readFlag()) for (let i = 4; i < modeBytes; i++) store<u8>(modes + i, <u8>readBits(8))
  for (let i = 0; i < motionBytes; i++)
    if (readBool(load<u8>(motionUpdates + i))) {
      const probability = readBits(7)
      store<u8>(motions + i, <u8>(probability != 0 ? probability << 1 : 1))
    }
}

/** Reads the header, and stands then at the modes of macroblocks. */
export function readHeader(): void {
  startBools(firstAt, firstBytes)
  if (isKey) resetByKey()
  readSegments()
  readFilter()
  partitionsLog = readBits(2)
  quantiser = readBits(7)
  for (let i = 0; i < 5; i++) store<i8>(quantiserDeltas + i, <i8>readSigned(4))
  readReferences()
  readProbabilities()
}

/** Puts probabilities back behind a frame, if it does not refresh them. */
export function endProbabilities(): void {
  if (areProbabilitiesKept) memory.copy(coefficients, kept, probabilityBytes)
}
