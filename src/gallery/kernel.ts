/** Typed access to the WebAssembly module built from `wasm/gallery`, and its memory layout. */
import type { OpenDistances } from '../decide/distance.ts'

/** Functions of `wasm/gallery/kernel.ts`; addresses in bytes. */
interface KernelExports {
  distances(query: number, rows: number, components: number, count: number, out: number): void
  scan(
    block: number,
    capacity: number,
    components: number,
    first: number,
    end: number,
    query: number,
    queryNorm: number,
    queryStep: number,
    queryRate: number,
    keys: number,
    numbers: number,
    size: number,
    kept: number,
  ): number
  checksum(start: number, bytes: number, seed: bigint): bigint
}

export const pageBytes = 65_536

export interface Kernel extends KernelExports {
  memory: WebAssembly.Memory
}

/** Creates an instance with a memory of its own. */
export function openKernel(module: WebAssembly.Module, pages: number): Kernel {
  const memory = new WebAssembly.Memory({ initial: pages })
  const { exports } = new WebAssembly.Instance(module, { env: { memory } })
  return { ...(exports as unknown as KernelExports), memory }
}

/** Measures distances with SIMD in float32, so the last digit may differ from `openPlainDistances`. */
export const openDistances =
  (module: WebAssembly.Module): OpenDistances =>
  (rows, length) => {
    const count = rows.length / length
    const queryAt = rows.byteLength
    const outAt = queryAt + length * 4
    const { memory, distances } = openKernel(module, Math.ceil((outAt + count * 4) / pageBytes))
    const query = new Float32Array(memory.buffer, queryAt, length)
    const out = new Float32Array(memory.buffer, outAt, count)
    new Float32Array(memory.buffer).set(rows)
    return (vector) => {
      query.set(vector)
      distances(queryAt, 0, length, count, outAt)
      query.fill(0)
      return out.slice()
    }
  }
