/** Compiles WebAssembly modules of installed packages, and our own. */
import { readFile } from 'node:fs/promises'
import type { CodecModules } from '../media/codec-modules.ts'
import { packageFile } from './package-file.ts'

async function compile(file: string): Promise<WebAssembly.Module> {
  return WebAssembly.compile(await readFile(packageFile(file)))
}

/** Compiles a module of `wasm`. */
async function compileOwn(file: string): Promise<WebAssembly.Module> {
  return WebAssembly.compile(await readFile(new URL(`../../wasm/${file}`, import.meta.url)))
}

export async function compileCodecs(): Promise<CodecModules> {
  const [jpegDecoder, jpeg, picture, pngDecoder, webpDecoder, webpEncoder] = await Promise.all([
    compile('@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm'),
    compileOwn('jpeg/jpeg.wasm'),
    compileOwn('picture/kernel.wasm'),
    compile('@jsquash/png/codec/pkg/squoosh_png_bg.wasm'),
    compile('@jsquash/webp/codec/dec/webp_dec.wasm'),
    compile('@jsquash/webp/codec/enc/webp_enc_simd.wasm'),
  ])
  return { jpegDecoder, jpeg, picture, pngDecoder, webpDecoder, webpEncoder }
}

/** The kernel of our inference engine (`wasm/inference`). */
export function compileInferenceKernel(): Promise<WebAssembly.Module> {
  return compileOwn('inference/kernel.wasm')
}

/** The kernel that aligns the faces of a clip (`wasm/registration`). */
export function compileRegistrationKernel(): Promise<WebAssembly.Module> {
  return compileOwn('registration/kernel.wasm')
}

/** The kernel of 1:N search (`wasm/gallery`). */
export function compileSearchKernel(): Promise<WebAssembly.Module> {
  return compileOwn('gallery/kernel.wasm')
}
