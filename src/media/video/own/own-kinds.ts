/** What our own decoder reads, and what callers are told of other clips where there is no other decoder. */
import { AppError } from '../../../errors.ts'
import { nameClips, nameOfClip } from '../../accepted-media.ts'
import { sanitizeCodec } from '../check-clip.ts'
import type { ClipFormat } from '../formats/clip-format.ts'
import type { SniffedClip } from '../formats/registry.ts'
import type { ClipCodec } from './clip-codec.ts'
import { ownCodecs } from './clip-codecs.ts'
import { LeftToOthers } from './clip-track.ts'

export const ownFormats: readonly ClipFormat[] = [...new Set(ownCodecs.flatMap(({ formats }) => formats))]

/** As texts write it. */
export const ownKinds = ownCodecs.map(({ name, formats }) => `${name} in ${nameClips(formats)}`).join(', or ')

export const refuseContainer = (format: SniffedClip): LeftToOthers =>
  new LeftToOthers(
    new AppError('media_unsupported', `${nameOfClip(format)} cannot be used here: send ${ownKinds}`, {
      details: { expected: ownKinds },
      reason: 'format',
    }),
  )

/** @param name as the file has it */
export const refuseCodec = (name: string): LeftToOthers => {
  const codec = sanitizeCodec(name)
  return new LeftToOthers(
    new AppError(
      'media_unsupported',
      `The codec of the video cannot be used here (${codec}): send ${ownKinds}`,
      {
        details: { codec, expected: ownKinds },
        reason: 'codec',
      },
    ),
  )
}

/** The refusal of a kind of a codec that we do not decode, or of headers that cannot be read. */
export const refuseKind = ({ name, kinds }: ClipCodec): LeftToOthers => {
  const expected = `${name} of ${kinds}`
  return new LeftToOthers(
    new AppError('media_unsupported', `This kind of ${name} cannot be used here: send ${expected}`, {
      details: { expected },
      reason: 'codec',
    }),
  )
}
