/**
 * How values are stored in columns: ids as 16 bytes, words of a closed list as numbers, facts about media as short JSON
 * lists. Drivers return blobs as `ArrayBuffer`, or as views into a larger buffer.
 */
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { customType } from 'drizzle-orm/sqlite-core'
import { invariant } from '../errors.ts'
import { parseExactJson, writeExactJson } from '../exact-json.ts'
import type { MediumDetail, ModelsUsed, OutputImage } from '../records/analysis.ts'
import {
  mediumKind,
  type OriginalFacts,
  type PictureFacts,
  type SampleFacts,
  type ShotKind,
} from '../records/medium.ts'
import { isUuid } from '../uuid.ts'
import { decodeDetails, encodeDetails } from './codec/details-codec.ts'
import { decodeSample, encodeSample } from './codec/sample-codec.ts'

type Blob = Uint8Array | ArrayBuffer

/** JSON of callers: the digits of long numbers are kept. */
export const exactJson = <T>() =>
  customType<{ data: T; driverData: string }>({
    dataType: () => 'text',
    toDriver: (value) => writeExactJson(value),
    fromDriver: (text) => parseExactJson(text) as T,
  })

/** Bytes, such as floats, encrypted or not (`encryption/row-cipher.ts`). */
export const bytes = customType<{ data: Uint8Array; driverData: Blob }>({
  dataType: () => 'blob',
  fromDriver: (value) => new Uint8Array(value),
})

/** A text, or bytes if it is encrypted. */
export const textOrBytes = customType<{ data: string | Uint8Array; driverData: string | Blob }>({
  dataType: () => 'text',
  fromDriver: (value) => (typeof value === 'string' ? value : new Uint8Array(value)),
})

const uuidBytes = 16

/** A UUID from 32 hexadecimal digits in lower case. */
export const uuidFromHex = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`

const readUuid = (bytes: Uint8Array, start: number): string =>
  uuidFromHex(bytesToHex(bytes.subarray(start, start + uuidBytes)))

function uuidToBytes(id: string): Uint8Array {
  invariant(isUuid(id), 'ids are UUIDs')
  return hexToBytes(id.replaceAll('-', ''))
}

/** A UUID, returned in lower case. */
export const uuid = customType<{ data: string; driverData: Blob }>({
  dataType: () => 'blob',
  toDriver: uuidToBytes,
  fromDriver: (blob) => readUuid(new Uint8Array(blob), 0),
})

/** Some UUIDs in order, of 16 bytes each. */
export const uuids = customType<{ data: readonly string[]; driverData: Blob }>({
  dataType: () => 'blob',
  toDriver(ids) {
    const bytes = new Uint8Array(uuidBytes * ids.length)
    for (const [index, id] of ids.entries()) bytes.set(uuidToBytes(id), uuidBytes * index)
    return bytes
  },
  fromDriver(blob) {
    const bytes = new Uint8Array(blob)
    return Array.from({ length: bytes.length / uuidBytes }, (_, index) => readUuid(bytes, uuidBytes * index))
  },
})

/** The part of one medium in an analysis. */
interface Association {
  associationId: string
  mediumId: string
}

/** The media of an analysis in order, two ids each. */
export const associations = customType<{ data: readonly Association[]; driverData: Blob }>({
  dataType: () => 'blob',
  toDriver(list) {
    const bytes = new Uint8Array(2 * uuidBytes * list.length)
    for (const [index, { associationId, mediumId }] of list.entries()) {
      bytes.set(uuidToBytes(associationId), 2 * uuidBytes * index)
      bytes.set(uuidToBytes(mediumId), 2 * uuidBytes * index + uuidBytes)
    }
    return bytes
  },
  fromDriver(blob) {
    const bytes = new Uint8Array(blob)
    return Array.from({ length: bytes.length / (2 * uuidBytes) }, (_, index) => ({
      associationId: readUuid(bytes, 2 * uuidBytes * index),
      mediumId: readUuid(bytes, 2 * uuidBytes * index + uuidBytes),
    }))
  },
})

/** A word of a list, stored as its index. The list is sorted, so that indexes sort like the words, and never gets shorter. */
export const word = <const Word extends string>(words: readonly Word[]) =>
  customType<{ data: Word; driverData: number }>({
    dataType: () => 'integer',
    toDriver(value) {
      const place = words.indexOf(value)
      invariant(place >= 0, 'the word is one of its list')
      return place
    },
    fromDriver(place) {
      const value = words[place]
      invariant(value !== undefined, 'the database knows more words than this release')
      return value
    },
  })

export type PackedPicture = readonly [
  md5: string,
  size: number,
  width: number,
  height: number,
  mimeType: string,
]

export const packPicture = ({ md5, size, width, height, mimeType }: PictureFacts): PackedPicture => [
  md5,
  size,
  width,
  height,
  mimeType,
]

export const unpackPicture = ([md5, size, width, height, mimeType]: PackedPicture): PictureFacts => ({
  md5,
  size,
  width,
  height,
  mimeType,
})

/** The facts about a picture. */
export const packedPicture = customType<{ data: PictureFacts; driverData: string }>({
  dataType: () => 'text',
  toDriver: (facts) => JSON.stringify(packPicture(facts)),
  fromDriver: (text) => unpackPicture(JSON.parse(text) as PackedPicture),
})

type PackedOriginal = readonly [
  ...PackedPicture,
  clip?: OriginalFacts['clip'] | null,
  frames?: number | null,
  isUnusual?: true,
]

/** What has a preview unless something else is stored: clips and archives. */
const usuallyHasPreview = (original: { mimeType: string }): boolean => mediumKind(original) !== 'IMAGE'

export type PackedImage = readonly [
  id: string,
  kind: ShotKind,
  ...picture: PackedPicture,
  thumbnail?: PackedPicture,
]

export const packImage = ({
  id,
  kind,
  original,
}: Pick<OutputImage, 'id' | 'kind' | 'original'>): PackedImage => {
  const packed = [id, kind, ...packPicture(original)] as const
  return original.thumbnail ? [...packed, packPicture(original.thumbnail)] : packed
}

export function unpackImage([id, kind, ...packed]: PackedImage): Pick<
  OutputImage,
  'id' | 'kind' | 'original'
> {
  const [md5, size, width, height, mimeType, thumbnail] = packed
  const picture = { md5, size, width, height, mimeType }
  const original = thumbnail ? { ...picture, thumbnail: unpackPicture(thumbnail) } : picture
  return { id, kind, original }
}

/** The facts about a medium as it was uploaded. */
export const packedOriginal = customType<{ data: OriginalFacts; driverData: string }>({
  dataType: () => 'text',
  toDriver: ({ clip = null, frames = null, hasPreview = false, ...picture }) => {
    const isUnusual = hasPreview !== usuallyHasPreview(picture)
    const more = isUnusual ? [clip, frames, true] : frames ? [clip, frames] : clip ? [clip] : []
    return JSON.stringify([...packPicture(picture), ...more])
  },
  fromDriver(text) {
    const [md5, size, width, height, mimeType, clip, frames, isUnusual] = JSON.parse(text) as PackedOriginal
    const hasPreview = usuallyHasPreview({ mimeType }) !== (isUnusual ?? false)
    return {
      ...{ md5, size, width, height, mimeType },
      ...(clip ? { clip } : {}),
      ...(frames ? { frames } : {}),
      ...(hasPreview ? { hasPreview } : {}),
    }
  },
})

/** The facts that the assessment of a medium found. */
export const packedSample = customType<{ data: SampleFacts; driverData: string }>({
  dataType: () => 'text',
  toDriver: encodeSample,
  fromDriver: decodeSample,
})

/** How the results of an analysis came about, in the order of its media. */
export const packedDetails = customType<{ data: readonly MediumDetail[]; driverData: string }>({
  dataType: () => 'text',
  toDriver: encodeDetails,
  fromDriver: decodeDetails,
})

type PackedModels = readonly [profile: ModelsUsed['profile'], assurance: string, ...ModelsUsed['networks']]

/** The profile and the networks that assessed the media. */
export const packedModels = customType<{ data: ModelsUsed; driverData: string }>({
  dataType: () => 'text',
  toDriver: ({ profile, assurance, networks }) => JSON.stringify([profile, assurance, ...networks]),
  fromDriver(text) {
    const [profile, assurance, ...networks] = JSON.parse(text) as PackedModels
    return { profile, assurance, networks }
  },
})
