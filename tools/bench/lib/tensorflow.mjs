import { createRequire } from 'node:module'
import { dirname } from 'node:path'

// The peers require() tfjs; loading it the same way here gives all of them one engine and one wasm backend.
const require = createRequire(import.meta.url)

export const tf = require('@tensorflow/tfjs')
const wasmBackend = require('@tensorflow/tfjs-backend-wasm')

export const wasmFolder = `${dirname(require.resolve('@tensorflow/tfjs-backend-wasm'))}/`

export async function startWasmBackend() {
  wasmBackend.setWasmPaths(wasmFolder)
  wasmBackend.setThreadsCount(1)
  if (!(await tf.setBackend('wasm'))) throw new Error('tfjs could not start its wasm backend')
  tf.enableProdMode()
}

/** The backend that the engine actually uses; read it after loading the peer, which may change it. */
export async function inspectBackend() {
  return {
    backend: tf.getBackend(),
    simd: await tf.env().getAsync('WASM_HAS_SIMD_SUPPORT'),
    threads: wasmBackend.getThreadsCount(),
    tfjs: tf.version.tfjs,
  }
}

export function assertSingleThreadSimd({ backend, simd, threads }) {
  if (backend === 'wasm' && simd && threads === 1) return
  throw new Error(`expected wasm with SIMD on 1 thread, got ${backend}, simd ${simd}, threads ${threads}`)
}

/** RGB as float32 instead of the usual int32, which both peers would have to cast first. */
export function toRgbTensor({ data, width, height }) {
  const rgb = new Float32Array(width * height * 3)
  for (let from = 0, to = 0; to < rgb.length; from += 4, to += 3) {
    rgb[to] = data[from]
    rgb[to + 1] = data[from + 1]
    rgb[to + 2] = data[from + 2]
  }
  return tf.tensor3d(rgb, [height, width, 3], 'float32')
}
