/** Our own VP8 decoder: `wasm/vp8`. One instance per stream. */
import type { DecoderLimits } from '../own/clip-codec.ts'
import { ModuleDecoder, type ModuleExports } from '../own/module-decoder.ts'

/** Functions of `wasm/vp8/decoder.ts`; sizes in bytes. */
interface Exports extends ModuleExports {
  begin(bytes: number, tag: number): void
}

/** Its samples are frames, each of which other frames may need: none is left out. */
export class Vp8Decoder extends ModuleDecoder<Exports> {
  protected begin(bytes: number, tag: number): void {
    this.exports.begin(bytes, tag)
  }
}

/** Opens a decoder on its compiled module, which may be shared. */
export async function openVp8(
  module: WebAssembly.Module,
  { pixelsMax, memoryBytesMax }: DecoderLimits,
): Promise<Vp8Decoder> {
  const exports = (await WebAssembly.instantiate(module)).exports as unknown as Exports
  exports.open(pixelsMax, memoryBytesMax)
  return new Vp8Decoder(exports)
}
