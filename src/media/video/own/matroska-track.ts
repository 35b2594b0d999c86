/** Tracks of Matroska and WebM (RFC 9559), as browsers write them: sizes, durations and an index may be missing. */
import { asciiText } from '../../ascii.ts'
import {
  ebmlIds,
  findElement,
  findElements,
  lengthOf,
  readElements,
  readFloat,
  readInteger,
  readNumber,
} from '../../ebml.ts'
import { HeaderCursor, threadBudget } from '../../header-cursor.ts'
import type { Coding } from './clip-codec.ts'
import { ownCodecs } from './clip-codecs.ts'
import {
  type ClipTrack,
  checkSamples,
  demand,
  noPictures,
  type Place,
  readTrack,
  samplesMax,
} from './clip-track.ts'
import { refuseCodec } from './own-kinds.ts'

interface Head {
  number: number
  coding: Coding
  /** Duration of a picture; 0 if not said. */
  pictureNs: number
}

const video = 1

function readHead(tracks: HeaderCursor): Head {
  const videos = [...findElements(tracks, ebmlIds.track)].filter(
    (track) => readInteger(findElement(track, ebmlIds.trackType)) === video,
  )
  if (videos.length === 0) throw noPictures()
  const [track] = videos as [HeaderCursor]
  demand(videos.length === 1)
  const id = findElement(track, ebmlIds.codec)
  demand(id)
  const name = asciiText(id.bytes(0, 32), 0, Math.min(32, id.left))
  const codec = ownCodecs.find(({ matroska }) => matroska === name)
  if (!codec) throw refuseCodec(name)
  demand(!findElement(track, ebmlIds.encodings))
  demand(!findElement(findElement(track, ebmlIds.video), ebmlIds.projection))
  demand((readFloat(findElement(track, ebmlIds.trackScale)) || 1) === 1)
  return {
    number: readInteger(findElement(track, ebmlIds.trackNumber)),
    coding: codec.read(findElement(track, ebmlIds.codecPrivate) ?? track.part(0, 0)),
    pictureNs: readInteger(findElement(track, ebmlIds.defaultDuration)),
  }
}

/** A larger step back in time is a new beginning, where times go on: that is left to other decoders. */
const stepBackMaxNs = 0.5e9
const opened: ReadonlySet<number> = new Set([ebmlIds.segment, ebmlIds.cluster, ebmlIds.blockGroup])

/** Reads a file element by element. Times are in units of the segment. */
class TrackReader {
  head: Head | null = null
  unitNs = 1e6
  /** In units. */
  declared = Number.NaN
  readonly places: Place[] = []
  #segments = 0
  #clusterTime = Number.NaN
  /** Whether the last block is one of the track. */
  #isOurs = false

  read(id: number, content: HeaderCursor, at: number): void {
    if (id === ebmlIds.segment) demand(++this.#segments === 1)
    else if (id === ebmlIds.info) this.#readInfo(content)
    else if (id === ebmlIds.tracks) {
      demand(!this.head)
      this.head = readHead(content)
    } else if (id === ebmlIds.cluster) this.#clusterTime = Number.NaN
    else if (id === ebmlIds.clusterTime) this.#clusterTime = readInteger(content)
    else if (id === ebmlIds.simpleBlock || id === ebmlIds.block) this.#readBlock(content, at)
    else if (id === ebmlIds.blockDuration && this.#isOurs)
      this.places.at(-1)!.durationS = readInteger(content)
  }

  #readInfo(info: HeaderCursor): void {
    this.unitNs = readInteger(findElement(info, ebmlIds.timestampScale)) || 1e6
    this.declared = readFloat(findElement(info, ebmlIds.duration)) || Number.NaN
  }

  #readBlock(block: HeaderCursor, at: number): void {
    const { head, places } = this
    demand(head)
    const numberBytes = lengthOf(block, 0)
    demand(numberBytes <= 8)
    this.#isOurs = readNumber(block, 0, numberBytes) === head.number
    if (!this.#isOurs) return
    const laces = block.uint8(numberBytes + 2) & 6
    const timeS = this.#clusterTime + ((block.uint16(numberBytes) << 16) >> 16)
    const earlier = places.at(-1)?.timeS ?? timeS
    demand(laces === 0 && places.length < samplesMax && (earlier - timeS) * this.unitNs <= stepBackMaxNs)
    const before = numberBytes + 3
    const durationS = head.pictureNs / this.unitNs
    places.push({ at: at + before, size: block.left - before, decodeS: timeS, timeS, durationS })
  }
}

/** @throws {LeftToOthers} for other codecs, and for what is damaged or unusual */
export const readMatroskaTrack = (bytes: Uint8Array): ClipTrack =>
  readTrack(() => {
    const file = new HeaderCursor(bytes, threadBudget())
    const reader = new TrackReader()
    for (const { id, content, at } of readElements(file, opened)) reader.read(id, content, at)
    const { head, places, unitNs, declared } = reader
    if (!head) throw noPictures()
    // The last element ends with the file.
    demand(file.left === 0)
    return {
      matrix: [1, 0, 0, 1],
      coding: head.coding,
      samples: checkSamples(bytes, places, unitNs / 1e9, head.coding),
      declaredS: (declared * unitNs) / 1e9,
    }
  })
