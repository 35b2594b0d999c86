/** Compiles WebAssembly modules of installed packages, and our own. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { LateModules, SharedModules } from '../media/codec-modules.ts'
import { sha256 } from './hash.ts'
import { renewalHere } from './installation.ts'
import { once } from './once.ts'
import { hasPackageFile, packageFile } from './package-file.ts'

const require = createRequire(import.meta.url)

/** @throws {Error} that names the file and what to do */
async function readModule(file: string): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await readFile(file))
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new Error(`${file} cannot be read (${code}): ${renewalHere()}`, { cause })
  }
}

const refuseDamaged = (file: string, bytes: Uint8Array, cause?: unknown): Error =>
  new Error(`${file} is damaged (its sha256 is ${sha256(bytes)}): ${renewalHere()}`, { cause })

async function compileBytes(file: string, bytes: Uint8Array<ArrayBuffer>): Promise<WebAssembly.Module> {
  try {
    return await WebAssembly.compile(bytes)
  } catch (cause) {
    throw refuseDamaged(file, bytes, cause)
  }
}

async function compile(name: string): Promise<WebAssembly.Module> {
  const file = packageFile(name)
  return compileBytes(file, await readModule(file))
}

/**
 * Compiles a module of ours, whose hash is in a file beside it: a damaged one might compile, and compute something else.
 * @throws {Error} that names the file and what to do, if it is missing or damaged
 */
export async function compileVerified(file: string): Promise<WebAssembly.Module> {
  const [bytes, expected] = await Promise.all([readModule(file), readModule(`${file}.sha256`)])
  if (new TextDecoder().decode(expected).split(' ')[0] !== sha256(bytes)) throw refuseDamaged(file, bytes)
  return compileBytes(file, bytes)
}

/** Compiles a module of `wasm`. */
const compileOwn = (file: string): Promise<WebAssembly.Module> =>
  compileVerified(fileURLToPath(new URL(`../../wasm/${file}`, import.meta.url)))

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

/** Our own decoder of VP8 (`wasm/vp8`). */
export function compileVp8(): Promise<WebAssembly.Module> {
  return compileOwn('vp8/vp8.wasm')
}

/** Compiles every module that a server on this machine may use, but for the decoders of other clips. @throws {Error} for the first that is missing or damaged */
export async function checkModules(): Promise<void> {
  const { avifDecoder, heicDecoder } = lateModules()
  await Promise.all([
    compileCodecs(),
    compileInferenceKernel(),
    compileRegistrationKernel(),
    compileSearchKernel(),
    compileH264(),
    compileVp8(),
    avifDecoder?.(),
    heicDecoder?.(),
  ])
}
