/** Compiles WebAssembly modules of installed packages, and our own. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { LateModules, SharedModules } from '../media/codec-modules.ts'
import { once } from './once.ts'
import { hasPackageFile, packageFile } from './package-file.ts'

const require = createRequire(import.meta.url)

async function compile(file: string): Promise<WebAssembly.Module> {
  return WebAssembly.compile(await readFile(packageFile(file)))
}

/** Compiles a module of `wasm`. */
async function compileOwn(file: string): Promise<WebAssembly.Module> {
  return WebAssembly.compile(await readFile(new URL(`../../wasm/${file}`, import.meta.url)))
}

export async function compileCodecs(): Promise<SharedModules> {
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

const libheif = 'libheif-js/libheif-wasm/libheif'
const libheifFiles = [`${libheif}.js`, `${libheif}.wasm`]

/** Whether the optional decoder of HEIC is installed. */
export const hasLibheif = (): boolean => libheifFiles.every(hasPackageFile)

/** Decoders of one thread: each has a megabyte, and most servers never get a picture for them. */
export const lateModules = (): LateModules => ({
  avifDecoder: once(() => compile('@jsquash/avif/codec/dec/avif_dec.wasm')),
  heicDecoder: hasLibheif()
    ? once(async () => ({
        factory: require(packageFile(`${libheif}.js`)),
        module: await compile(`${libheif}.wasm`),
      }))
    : null,
})

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

/** Our own decoder of H.264 (`wasm/h264`). */
export function compileH264(): Promise<WebAssembly.Module> {
  return compileOwn('h264/h264.wasm')
}
