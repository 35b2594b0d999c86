/** The used part of libheif's interface in C, as `libheif-js` exports it (LGPL-3.0, optional). Numbers are addresses. */
import type { EmscriptenModule } from '../../emscripten-codec.ts'

export interface Libheif extends EmscriptenModule {
  _malloc(bytes: number): number
  _free(address: number): void
  _heif_context_alloc(): number
  _heif_context_free(context: number): void
  _heif_context_read_from_memory_without_copy(
    error: number,
    context: number,
    bytes: number,
    length: number,
    options: number,
  ): void
  _heif_context_get_primary_image_handle(error: number, context: number, handle: number): void
  _heif_image_handle_release(handle: number): void
  _heif_decoding_options_alloc(): number
  _heif_decoding_options_free(options: number): void
  _heif_decode_image(
    error: number,
    handle: number,
    image: number,
    colourSpace: number,
    chroma: number,
    options: number,
  ): void
  _heif_image_release(image: number): void
  _heif_image_get_width(image: number, channel: number): number
  _heif_image_get_height(image: number, channel: number): number
  _heif_image_get_plane_readonly2(image: number, channel: number, stride: number): number
}

/** The glue of the package and its compiled module. */
export interface LibheifParts {
  factory: unknown
  module: WebAssembly.Module
}

/** Constants of heif.h. */
export const colourSpaceRgb = 1
export const chromaRgba = 11
export const channelInterleaved = 10
/** Offset of the option that leaves rotations and mirrors to the caller. */
export const ignoreTransformations = 1
