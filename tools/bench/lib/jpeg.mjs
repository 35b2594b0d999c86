import { readFile } from 'node:fs/promises'
import decode, { init } from '@jsquash/jpeg/decode.js'

// By default the decoder would fetch() its wasm from a file: URL, which Node does not support.
export async function startJpegDecoder() {
  const wasm = new URL(import.meta.resolve('@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm'))
  await init(await WebAssembly.compile(await readFile(wasm)))
}

export const decodeJpeg = (bytes) => decode(bytes)
