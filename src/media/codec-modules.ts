/** Compiled modules of the codecs by name; `jpeg` is `wasm/jpeg`, `picture` is `wasm/picture`. */
export type CodecModules = Record<
  'jpegDecoder' | 'jpeg' | 'picture' | 'pngDecoder' | 'webpDecoder',
  WebAssembly.Module
> & {
  /** Only previews of clips and archives need it; `null` where there is no memory for it: then they have none. */
  webpEncoder: WebAssembly.Module | null
}
