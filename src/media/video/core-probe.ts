/** Parses the facts of a clip from the output of ffprobe. */
import { AppError } from '../../errors.ts'
import type { RawFacts } from './check-clip.ts'
import { type DisplayMatrix, findOrientation } from './display-matrix.ts'
import { damagedClip } from './unreadable-clip.ts'

/** Entries requested from ffprobe. */
export const probeEntries =
  'format=duration:stream=index,codec_name,width,height:stream_side_data=displaymatrix:packet=pts_time,dts_time,duration_time,flags'

interface Probe {
  format?: { duration?: string }
  streams?: {
    index?: number
    codec_name?: string
    width?: number
    height?: number
    side_data_list?: { displaymatrix?: string }[]
  }[]
  packets?: { pts_time?: string; dts_time?: string; duration_time?: string; flags?: string }[]
}

/** Parses three rows of `NNNNNNNN: a b u` in 16.16 fixed point. */
function readMatrix(text: string | undefined): DisplayMatrix {
  const values = text?.match(/-?\d+(?!\d*:)/g)?.map(Number) ?? []
  const [a, b, , c, d] = values
  if (a === undefined || b === undefined || c === undefined || d === undefined) return [1, 0, 0, 1]
  return [a, b, c, d]
}

const parseSeconds = (text: string | undefined): number => Number.parseFloat(text ?? '')

/** A larger step back in time is a new beginning, as in joined recordings: times go on from there. */
export const stepBackMaxS = 0.5

interface Times {
  count: number
  firstS: number
  lastS: number
  lastDurationS: number
  timesS: number[]
  backSteps: number
  /** Whether the file has times at which pictures are shown; otherwise the decoder makes them up. */
  hasShownTimes: boolean
  beginsAgain: boolean
}

/** Facts that only this decoder needs. */
export type CoreFacts = RawFacts & Pick<Times, 'hasShownTimes' | 'beginsAgain'>

function readTimes(packets: NonNullable<Probe['packets']>): Times {
  const times: Times = {
    count: 0,
    firstS: Number.NaN,
    lastS: Number.NaN,
    lastDurationS: Number.NaN,
    timesS: [],
    backSteps: 0,
    hasShownTimes: packets.some(({ pts_time }) => pts_time !== undefined),
    beginsAgain: false,
  }
  let [lastDecodeS, shiftS] = [Number.NaN, 0]
  for (const packet of packets) {
    // D: discarded by an edit list.
    if (packet.flags?.includes('D')) continue
    times.count++
    const decodeS = parseSeconds(packet.dts_time)
    if (decodeS <= lastDecodeS) times.backSteps++
    if (decodeS < lastDecodeS - stepBackMaxS) {
      shiftS += lastDecodeS - decodeS
      times.beginsAgain = true
    }
    if (!Number.isNaN(decodeS)) lastDecodeS = decodeS
    const timeS = parseSeconds(packet.pts_time ?? packet.dts_time) + shiftS
    if (Number.isNaN(timeS)) continue
    times.timesS.push(timeS)
    if (!(timeS >= times.firstS)) times.firstS = timeS
    if (!(timeS <= times.lastS)) {
      times.lastS = timeS
      times.lastDurationS = parseSeconds(packet.duration_time)
    }
  }
  return times
}

/**
 * Parses the output of ffprobe.
 * @throws {AppError} `media_unreadable` if the headers are damaged or there is no video stream
 */
export function readProbe(json: string): CoreFacts {
  const { streams, packets = [], format = {} } = JSON.parse(json) as Probe
  if (streams === undefined) throw damagedClip()
  const stream = streams[0]
  if (stream === undefined)
    throw new AppError('media_unreadable', 'The file has no video stream', { reason: 'format' })
  const { codec_name: codec = 'unknown', width = 0, height = 0, side_data_list: sideData = [] } = stream
  const matrix = readMatrix(sideData.find(({ displaymatrix }) => displaymatrix)?.displaymatrix)
  const { count, ...times } = readTimes(packets)
  const declaredS = parseSeconds(format.duration)
  return {
    width,
    height,
    orientation: findOrientation(matrix),
    codec,
    packets: count,
    ...times,
    declaredS,
    isWhole: true,
  }
}
