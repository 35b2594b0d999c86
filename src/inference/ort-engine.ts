import type { InferenceSession, Tensor as OrtTensor } from 'onnxruntime-web'
import { AppError } from '../errors.ts'
import type { Engine, ModelId, Tensor } from './engine.ts'

/** The used part of the ONNX runtime's module. */
export interface OrtRuntime {
  InferenceSession: {
    create(model: Uint8Array, options: InferenceSession.SessionOptions): Promise<InferenceSession>
  }
  Tensor: new (type: 'float32', data: Float32Array, dims: readonly number[]) => OrtTensor
}

/** ONNX files by model id. */
export type ModelFiles = ReadonlyMap<ModelId, Uint8Array>

function toTensors(outputs: InferenceSession.OnnxValueMapType): Record<string, Tensor> {
  return Object.fromEntries(
    Object.entries(outputs).map(([name, value]) => [
      name,
      { data: value.data as Float32Array, shape: value.dims },
    ]),
  )
}

/**
 * Opens an engine on onnxruntime-web (WebAssembly SIMD, one thread). Loads all models at once, so that a broken one is
 * detected on opening and not during a request.
 * @throws {AppError} `engine_unavailable` if a model cannot be loaded
 */
export async function openOrtEngine(ort: OrtRuntime, files: ModelFiles): Promise<Engine> {
  const sessions = new Map<ModelId, InferenceSession>()
  for (const [model, bytes] of files) {
    try {
      // The runtime reads its models from plain memory only.
      sessions.set(model, await ort.InferenceSession.create(bytes.slice(), { executionProviders: ['wasm'] }))
    } catch (cause) {
      throw new AppError('engine_unavailable', `model ${model} cannot be loaded`, { cause })
    }
  }
  return {
    async run(model, image) {
      const session = sessions.get(model)
      if (!session) throw new AppError('engine_unavailable', `model ${model} is not part of this profile`)
      const input = new ort.Tensor('float32', image.data, image.shape)
      try {
        return toTensors(await session.run({ [session.inputNames[0]!]: input }))
      } catch (cause) {
        throw new AppError('engine_unavailable', `model ${model} failed`, { cause })
      }
    },
  }
}
