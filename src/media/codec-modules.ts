import type { LibheifParts } from './formats/heic/libheif.ts'

/** Compiled modules of the codecs by name; `jpeg` is `wasm/jpeg`, `picture` is `wasm/picture`. Threads share them. */
export type SharedModules = Record<
  'jpegDecoder' | 'jpeg' | 'picture' | 'pngDecoder' | 'webpDecoder',
  WebAssembly.Module
> & {
  /** Only previews of clips and archives need it; `null` where there is no memory for it: then they have none. */
  webpEncoder: WebAssembly.Module | null
}

/** Modules that are compiled when the first picture comes which needs them; `null` if they are not there. */
export interface LateModules {
  avifDecoder: (() => Promise<WebAssembly.Module>) | null
  heicDecoder: (() => Promise<LibheifParts>) | null
}

export type CodecModules = SharedModules & LateModules
