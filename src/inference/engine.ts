/** The id of a network in `models/manifest.json`. The registries in `src/vision/` define input and output of each network. */
export type ModelId = string

/** A dense float32 tensor in row-major order. */
export interface Tensor {
  data: Float32Array
  shape: readonly number[]
}

/**
 * Runs networks. One engine belongs to one thread and runs one network at a time. Shapes, colour order and value range are the
 * network's own: they are defined in its file in `src/vision/`, and as `input` and `outputs` in the manifest.
 * @example
 * ```ts
 * import { engine, profile } from '../../test/fixtures/networks.ts'
 *
 * // RGB 0…1, plane by plane.
 * const image = { data: new Float32Array(3 * 192 * 192), shape: [1, 3, 192, 192] }
 * const { mesh, presence } = await engine.run(profile.landmarks, image)
 * mesh?.shape // → [1, 1404]
 * presence?.data.length // → 1
 * ```
 */
export interface Engine {
  /**
   * @param model a network of the profile that the engine was opened with
   * @param image the network's only input
   * @returns the outputs by name
   * @throws {AppError} `engine_unavailable` if the runtime fails
   */
  run(model: ModelId, image: Tensor): Promise<Record<string, Tensor>>
}
