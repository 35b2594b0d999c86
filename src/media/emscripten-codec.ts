/** Starts the @jsquash codecs that are built with Emscripten, from a compiled module. */

import { invariant } from '../errors.ts'
import type { Codec, EncodeRequest } from './codec.ts'

/** The used part of an Emscripten module object. */
export interface EmscriptenModule {
  HEAPU8: Uint8Array
}

interface ModuleOptions {
  noInitialRun: boolean
  print: () => void
  printErr: (line: string) => void
  quit: (status: number) => never
  instantiateWasm: (
    imports: WebAssembly.Imports,
    done: (instance: WebAssembly.Instance) => void,
  ) => WebAssembly.Exports
}

interface Encoder extends EmscriptenModule {
  encode(data: Uint8ClampedArray, width: number, height: number, options: object): Uint8Array | null
}

/** Opens an encoder. */
export async function openEncoder(
  name: string,
  factory: unknown,
  compiled: WebAssembly.Module,
  options: object,
): Promise<Codec<EncodeRequest, Uint8Array>> {
  const module = await startEmscripten<Encoder>(factory as never, compiled)
  return {
    run({ image, quality }) {
      const bytes = module.encode(image.data, image.width, image.height, { ...options, quality })
      if (!bytes) throw new Error(`${name} gave no bytes`)
      return bytes.slice()
    },
    heapBytes: () => module.HEAPU8.length,
  }
}

/** Defines `ImageData`, in which the codecs return their result and which servers lack. */
function provideImageData(): void {
  const scope = globalThis as { ImageData?: unknown }
  scope.ImageData ??= class {
    readonly data: Uint8ClampedArray
    readonly width: number
    readonly height: number
    constructor(data: Uint8ClampedArray, width: number, height: number) {
      this.data = data
      this.width = width
      this.height = height
    }
  }
}

/** The most memory that an instance may have. */
export interface MemoryLimit {
  bytesMax: number
}

const pageBytes = 2 ** 16

/** What asks for more memory gets none, as on a machine that has no more. */
function limitMemory({ exports }: WebAssembly.Instance, limit: MemoryLimit): void {
  const memory = Object.values(exports).find((part) => part instanceof WebAssembly.Memory)
  invariant(memory, 'a codec exports its memory')
  const grow = memory.grow.bind(memory)
  memory.grow = (pages) => {
    if (memory.buffer.byteLength + pages * pageBytes > limit.bytesMax)
      throw new RangeError('the codec may have no more memory')
    return grow(pages)
  }
}

interface StartOptions {
  /** Gets each line of output. */
  onWarning?: (line: string) => void
  /** May change between calls; absent for no limit. */
  memory?: MemoryLimit
}

/** Starts a new instance of a codec. Its output is suppressed to keep logs clean; the last line is kept for the error message. */
export async function startEmscripten<Module extends EmscriptenModule>(
  factory: (options: ModuleOptions) => Promise<Module>,
  compiled: WebAssembly.Module,
  { onWarning = () => {}, memory }: StartOptions = {},
): Promise<Module> {
  provideImageData()
  let lastWords = ''
  return await factory({
    noInitialRun: true,
    print: () => {},
    printErr: (line) => {
      lastWords = line
      onWarning(line)
    },
    quit: (status) => {
      throw new Error(`the codec ended with ${status}: ${lastWords}`)
    },
    instantiateWasm: (imports, done) => {
      const instance = new WebAssembly.Instance(compiled, imports)
      if (memory) limitMemory(instance, memory)
      done(instance)
      return instance.exports
    },
  })
}
