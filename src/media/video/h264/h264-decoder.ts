/** Our own H.264 decoder: `wasm/h264`. One instance per stream. */
import type { DecoderLimits } from '../own/clip-codec.ts'
import { ModuleDecoder, type ModuleExports } from '../own/module-decoder.ts'

/** Functions of `wasm/h264/decoder.ts`; sizes in bytes. */
interface Exports extends ModuleExports {
  begin(bytes: number, lengthBytes: number, tag: number, skipsOthers: boolean): void
}

export interface H264Options extends DecoderLimits {
  /** Bytes of the length before each NAL unit, as in MP4; 0 for start codes. */
  lengthBytes: 0 | 1 | 2 | 4
}

/** Its samples are access units. */
export class H264Decoder extends ModuleDecoder<Exports> {
  readonly #lengthBytes: number

  constructor(exports: Exports, lengthBytes: number) {
    super(exports)
    this.#lengthBytes = lengthBytes
  }

  protected begin(bytes: number, tag: number, skipsOthers: boolean): void {
    this.exports.begin(bytes, this.#lengthBytes, tag, skipsOthers)
  }

  /**
   * Reads parameter sets that come beside the stream.
   * @param sets NAL units of at most 65,535 bytes
   * @returns whether they can be used; if not, `refusal` says why
   */
  configure(sets: readonly Uint8Array[]): boolean {
    const units = sets.flatMap((set) => [set.length >> 8, set.length & 255, ...set])
    if (this.put(Uint8Array.from(units))) {
      this.exports.begin(units.length, 2, 0, false)
      this.step()
    }
    return this.refusal === null
  }
}

/** Opens a decoder on its compiled module, which may be shared. */
export async function openH264(
  module: WebAssembly.Module,
  { pixelsMax, memoryBytesMax, lengthBytes }: H264Options,
): Promise<H264Decoder> {
  const exports = (await WebAssembly.instantiate(module)).exports as unknown as Exports
  exports.open(pixelsMax, memoryBytesMax)
  return new H264Decoder(exports, lengthBytes)
}
