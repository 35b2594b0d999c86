/** The networks by their id in `models/manifest.json`. */
export type ModelId =
  | 'yunet-2023mar'
  | 'blazeface-back'
  | 'facemesh-468'
  | 'dlib-resnet29'
  | 'faceplugin-feature'
  | 'minifasnet-v2'
  | 'minifasnet-v1se'
  | 'faceplugin-liveness'
  | 'recapture-1'

/** A dense float32 tensor in row-major order. */
export interface Tensor {
  data: Float32Array
  shape: readonly number[]
}

/**
 * Runs networks. One engine belongs to one thread and runs one network at a time.
 */
export interface Engine {
  /**
   * @param model a network of the profile the engine was opened with
   * @param image the network's input `image`
   * @returns its outputs by name
   * @throws {AppError} `engine_unavailable` when the runtime fails
   */
  run(model: ModelId, image: Tensor): Promise<Record<string, Tensor>>
}
