/** The codecs that we decode ourselves. A further one is a line here, its `CodecId`, and its module in `src/platform/`. */
import { h264 } from '../h264/h264-codec.ts'
import { vp8 } from '../vp8/vp8-codec.ts'
import type { ClipCodec } from './clip-codec.ts'

export const ownCodecs: readonly ClipCodec[] = [h264, vp8]
