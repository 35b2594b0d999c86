/** The id of a network in `models/manifest.json`. Registries by task say what each of them needs and gives (`src/vision/`). */
export type ModelId = string

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
