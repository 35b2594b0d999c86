/** Tracks of MP4 and MOV, whole or in fragments (ISO/IEC 14496-12). Whatever is damaged or unusual is left to other decoders. */
import { asciiText } from '../../ascii.ts'
import { fourLetters, HeaderCursor, threadBudget } from '../../header-cursor.ts'
import { findBoxes, readBoxes } from '../../iso-boxes.ts'
import type { DisplayMatrix } from '../display-matrix.ts'
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

/** Content of the box at the end of a path. Of two boxes readers choose differently: there may be one of each. */
function findOnly(parent: HeaderCursor, ...path: readonly string[]): HeaderCursor | null {
  let found: HeaderCursor | null = parent
  for (const kind of path) {
    if (!found) return null
    const [box, second]: HeaderCursor[] = [...findBoxes(found.part(0), kind)]
    demand(!second)
    found = box ?? null
  }
  return found
}

function demandBox(parent: HeaderCursor, ...path: readonly string[]): HeaderCursor {
  const box = findOnly(parent, ...path)
  demand(box)
  return box
}

const int32 = (cursor: HeaderCursor, offset: number): number => cursor.uint32(offset) | 0

/** A time or a duration of a full box whose version 1 has 64 bits. */
const longOrShort = (box: HeaderCursor, long: number, short: number): number =>
  box.uint8(0) === 1 ? box.uint64(long) : box.uint32(short)

interface TrackHead {
  id: number
  timescale: number
  track: HeaderCursor
  table: HeaderCursor
}

function readHead(track: HeaderCursor): TrackHead {
  const head = demandBox(track, 'tkhd')
  const media = demandBox(track, 'mdia', 'mdhd')
  const timescale = media.uint32(media.uint8(0) === 1 ? 20 : 12)
  demand(timescale > 0)
  return {
    id: head.uint32(head.uint8(0) === 1 ? 20 : 12),
    timescale,
    track,
    table: demandBox(track, 'mdia', 'minf', 'stbl'),
  }
}

function readMatrix(track: HeaderCursor): DisplayMatrix {
  const head = demandBox(track, 'tkhd')
  const at = head.uint8(0) === 1 ? 52 : 40
  const value = (index: number) => int32(head, at + 4 * index) / 65536
  return [value(0), value(1), value(3), value(4)]
}

/** How the samples are coded, by their only entry. */
function readCoding(table: HeaderCursor): Coding {
  const descriptions = demandBox(table, 'stsd')
  demand(descriptions.uint32(4) === 1)
  const [entry] = readBoxes(descriptions.part(8))
  demand(entry)
  const codec = ownCodecs.find(({ mp4 }) => mp4 && entry.name === fourLetters(mp4.entry))
  if (!codec?.mp4) throw refuseCodec(asciiText(descriptions.bytes(12, 4), 0, 4))
  return codec.read(demandBox(entry.content.part(78), codec.mp4.box))
}

/** Runs of equal values: count and value, repeated. */
function* readRuns(
  box: HeaderCursor | null,
  toValue: (cursor: HeaderCursor, at: number) => number,
): Generator<number> {
  if (!box) return
  const runs = box.uint32(4)
  demand(box.left >= 8 + 8 * runs)
  for (let run = 0; run < runs; run++) {
    const count = box.uint32(8 + 8 * run)
    demand(count <= samplesMax)
    const value = toValue(box, 12 + 8 * run)
    for (let i = 0; i < count; i++) yield value
  }
}

/** Where samples begin, chunk by chunk. */
function* readPlaces(table: HeaderCursor, sizes: readonly number[]): Generator<number> {
  const runs = demandBox(table, 'stsc')
  const short = findOnly(table, 'stco')
  const long = findOnly(table, 'co64')
  demand(!short !== !long)
  const chunks = short ?? long!
  const runCount = runs.uint32(4)
  const chunkCount = chunks.uint32(4)
  let [run, sample] = [0, 0]
  for (let chunk = 1; chunk <= chunkCount && sample < sizes.length; chunk++) {
    while (run + 1 < runCount && runs.uint32(8 + 12 * (run + 1)) <= chunk) run++
    demand(run < runCount && runs.uint32(16 + 12 * run) === 1)
    let at = short ? short.uint32(8 + 4 * (chunk - 1)) : chunks.uint64(8 + 8 * (chunk - 1))
    for (let left = runs.uint32(12 + 12 * run); left > 0 && sample < sizes.length; left--) {
      yield at
      at += sizes[sample++]!
    }
  }
}

function readTable(table: HeaderCursor): Place[] {
  const sizeBox = demandBox(table, 'stsz')
  const count = sizeBox.uint32(8)
  demand(count <= samplesMax)
  const same = sizeBox.uint32(4)
  const sizes = Array.from({ length: count }, (_, i) => same || sizeBox.uint32(12 + 4 * i))
  const durations = readRuns(findOnly(table, 'stts'), (cursor, at) => cursor.uint32(at))
  const offsetBox = findOnly(table, 'ctts')
  const offsets = readRuns(offsetBox, int32)
  const samples: Place[] = []
  let decodeS = 0
  for (const at of readPlaces(table, sizes)) {
    const duration = durations.next()
    demand(!duration.done)
    const offset = offsetBox ? offsets.next() : { done: false, value: 0 }
    demand(!offset.done)
    const index = samples.length
    samples.push({
      at,
      size: sizes[index]!,
      decodeS,
      timeS: decodeS + offset.value,
      durationS: duration.value,
    })
    decodeS += duration.value
  }
  demand(samples.length === count)
  return samples
}

interface Defaults {
  duration: number
  size: number
}

function readDefaults(movie: HeaderCursor, id: number): Defaults | null {
  const extension = findOnly(movie, 'mvex')
  if (!extension) return null
  for (const box of findBoxes(extension, 'trex'))
    if (box.uint32(4) === id) return { duration: box.uint32(12), size: box.uint32(16) }
  return null
}

const flagsOf = (box: HeaderCursor): number => box.uint32(0) & 0xffffff

/** Appends the samples of a track run. Times are in units of the track. */
function readRun(
  run: HeaderCursor,
  base: number,
  defaults: Defaults,
  state: { decodeS: number; dataAt: number },
  samples: Place[],
): void {
  const flags = flagsOf(run)
  const count = run.uint32(4)
  demand(samples.length + count <= samplesMax)
  let next = 8
  const read = (bit: number, other: number): number => {
    if ((flags & bit) === 0) return other
    next += 4
    return run.uint32(next - 4)
  }
  if (flags & 1) {
    state.dataAt = base + int32(run, next)
    next += 4
  }
  read(4, 0)
  for (let i = 0; i < count; i++) {
    const durationS = read(0x100, defaults.duration)
    const size = read(0x200, defaults.size)
    read(0x400, 0)
    // Version 0 has no sign by the standard; writers use one.
    const offset = read(0x800, 0) | 0
    const { dataAt: at, decodeS } = state
    samples.push({ at, size, decodeS, timeS: decodeS + offset, durationS })
    state.dataAt += size
    state.decodeS += durationS
  }
}

function readFragment(
  moof: HeaderCursor,
  moofAt: number,
  id: number,
  defaults: Defaults,
  samples: Place[],
): void {
  let isFirst = true
  for (const fragment of findBoxes(moof, 'traf')) {
    const head = demandBox(fragment, 'tfhd')
    const flags = flagsOf(head)
    const isOurs = head.uint32(4) === id
    demand(!isOurs || isFirst || flags & 0x20001)
    isFirst = false
    if (!isOurs) continue
    let next = 8
    const base = flags & 1 ? head.uint64(next) : moofAt
    if (flags & 1) next += 8
    const read = (bit: number, other: number): number => {
      if ((flags & bit) === 0) return other
      next += 4
      return head.uint32(next - 4)
    }
    demand(read(2, 1) === 1)
    const own = {
      duration: read(8, defaults.duration),
      size: read(0x10, defaults.size),
    }
    const time = findOnly(fragment, 'tfdt')
    const last = samples.at(-1)
    const decodeS = time ? longOrShort(time, 4, 4) : last ? last.decodeS + last.durationS : 0
    const state = { decodeS, dataAt: base }
    for (const run of findBoxes(fragment, 'trun')) readRun(run, base, own, state, samples)
  }
}

/** An edit list may delay the clip; it may not leave pictures out. */
function checkEdits(
  track: HeaderCursor,
  movieScale: number,
  timescale: number,
  samples: readonly Place[],
): void {
  const list = findOnly(track, 'edts', 'elst')
  if (!list) return
  const isLong = list.uint8(0) === 1
  const edits = Array.from({ length: Math.min(3, list.uint32(4)) }, (_, i) => {
    const at = 8 + i * (isLong ? 20 : 12)
    return isLong
      ? {
          length: list.uint64(at),
          from: int32(list, at + 8) < 0 ? -1 : list.uint64(at + 8),
          rate: list.uint32(at + 16),
        }
      : { length: list.uint32(at), from: int32(list, at + 4), rate: list.uint32(at + 8) }
  })
  if (edits[0]?.from === -1) edits.shift()
  if (edits.length === 0) return
  const [{ length, from, rate }] = edits as [(typeof edits)[number]]
  demand(edits.length === 1 && rate === 0x10000)
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const { timeS } of samples) {
    first = Math.min(first, timeS)
    last = Math.max(last, timeS)
  }
  demand(from <= first && (length === 0 || last < from + (length / movieScale) * timescale))
}

/** @throws {LeftToOthers} for other codecs, and for what is damaged or unusual */
export const readMp4Track = (bytes: Uint8Array): ClipTrack =>
  readTrack(() => {
    const file = new HeaderCursor(bytes, threadBudget())
    const movie = demandBox(file, 'moov')
    const tracks = [...findBoxes(movie.part(0), 'trak')].filter((track) => {
      const handler = findOnly(track, 'mdia', 'hdlr')
      return handler && handler.left >= 12 && handler.uint32(8) === fourLetters('vide')
    })
    if (tracks.length === 0) throw noPictures()
    demand(tracks.length === 1)
    const { id, timescale, track, table } = readHead(tracks[0]!)
    const coding = readCoding(table)
    const places = readTable(table)
    const defaults = readDefaults(movie, id)
    if (defaults)
      for (const { name, content } of readBoxes(file))
        if (name === fourLetters('moof')) readFragment(content, file.at, id, defaults, places)
    const samples = checkSamples(bytes, places, 1 / timescale, coding)
    const head = demandBox(movie, 'mvhd')
    const movieScale = head.uint32(head.uint8(0) === 1 ? 20 : 12)
    // Movies in fragments have no duration in their head.
    const end = (places.at(-1)!.decodeS + places.at(-1)!.durationS - places[0]!.decodeS) / timescale
    const duration = longOrShort(head, 24, 16)
    checkEdits(track, movieScale, timescale, places)
    return {
      matrix: readMatrix(track),
      coding,
      samples,
      declaredS: duration > 0 && movieScale > 0 ? duration / movieScale : defaults ? end : Number.NaN,
    }
  })
