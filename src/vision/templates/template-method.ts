import type { FaceMesh } from '../facemesh.ts'
import type { Pyramid } from '../pyramid.ts'

/** One way of making templates. */
export interface TemplateMethod {
  /** Names network, alignment and all that is averaged together: what has another id is never compared. */
  readonly id: string
  /** Numbers of a template. */
  readonly length: number
  /**
   * Aligns the face and extracts its template: `length` components.
   * @param mesh in pixels of the pyramid's picture
   * @throws {AppError} `engine_unavailable`
   */
  extract(pyramid: Pyramid, mesh: FaceMesh): Promise<Float32Array>
}
