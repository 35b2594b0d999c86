/**
 * The ONNX runtime on Workers, where bytes cannot be compiled: the compiled module is imported, and handed over when the
 * runtime asks to instantiate the four bytes that stand in for its binary.
 */

import compiled from 'onnxruntime-web/ort-wasm-simd-threaded.wasm'
import * as ort from 'onnxruntime-web/wasm'
import { handOverModule } from './ort-module.ts'

handOverModule(ort.env.wasm, compiled)
ort.env.wasm.numThreads = 1

export * from 'onnxruntime-web/wasm'
