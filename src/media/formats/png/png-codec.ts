/**
 * Binding of the Rust png decoder inside `@jsquash/png`.
 *
 * The package's own binding keeps one instance for the lifetime of the process, and damaged pictures break that instance (after
 * 2 000 of them, intact pictures fail too). This binding opens any number of instances. The names of the imports end with a hash
 * that changes with the package's build, so they are found by prefix.
 */

import { flattenAlpha } from '../../flatten-alpha.ts'
import type { RgbaImage } from '../../rgba-image.ts'
import type { PictureDecoder } from '../picture-format.ts'
import { keepPictureChunks } from './png-header.ts'

interface PngExports {
  memory: WebAssembly.Memory
  __wbindgen_malloc(size: number, alignment: number): number
  __wbindgen_free(pointer: number, size: number, alignment: number): void
  decode(pointer: number, length: number): number
}

type ImportedFunction = (...args: number[]) => unknown

export async function openPngDecoder(compiled: WebAssembly.Module): Promise<PictureDecoder> {
  let decoded: RgbaImage | null = null
  const functions: [prefix: string, implementation: ImportedFunction][] = [
    [
      '__wbg_newwithownedu8clampedarray',
      (pointer = 0, length = 0, width = 0, height = 0) => {
        decoded = {
          width,
          height,
          data: new Uint8ClampedArray(exports.memory.buffer, pointer >>> 0, length).slice(),
        }
        exports.__wbindgen_free(pointer, length, 1)
        return 0
      },
    ],
    [
      '__wbindgen_throw',
      () => {
        throw new Error('the png decoder panicked')
      },
    ],
  ]
  const unused: ImportedFunction = () => {
    throw new Error('the png decoder called an import that decoding does not need')
  }
  const wbg: Record<string, ImportedFunction> = {}
  for (const { name } of WebAssembly.Module.imports(compiled)) {
    wbg[name] = functions.find(([prefix]) => name.startsWith(prefix))?.[1] ?? unused
  }
  const instance = await WebAssembly.instantiate(compiled, { wbg })
  const exports = instance.exports as unknown as PngExports
  return {
    run(file) {
      const bytes = keepPictureChunks(file)
      decoded = null
      const pointer = exports.__wbindgen_malloc(bytes.length, 1) >>> 0
      new Uint8Array(exports.memory.buffer).set(bytes, pointer)
      exports.decode(pointer, bytes.length)
      if (!decoded) throw new Error('the png decoder gave no picture')
      return flattenAlpha(decoded)
    },
    heapBytes: () => exports.memory.buffer.byteLength,
  }
}
