/**
 * The ONNX runtime on Workers, where bytes cannot be compiled: the compiled module is imported, and used when the runtime
 * instantiates the placeholder for its binary.
 */

import compiled from 'onnxruntime-web/ort-wasm-simd-threaded.wasm'
import * as ort from 'onnxruntime-web/wasm'
import { handOverModule } from './ort-module.ts'

handOverModule(ort.env.wasm, compiled)
ort.env.wasm.numThreads = 1

export * from 'onnxruntime-web/wasm'
