import type { FaceMesh } from '../facemesh.ts'
import type { Pyramid } from '../pyramid.ts'

/** A method of template extraction. */
export interface TemplateMethod {
  /** Identifies network, alignment and averaging; templates with different ids are never compared. */
  readonly id: string
  /** Number of components of a template. */
  readonly length: number
  /**
   * Aligns the face and extracts its template: `length` components.
   * @param mesh in pixels of the pyramid's picture
   * @throws {AppError} `engine_unavailable`
   */
  extract(pyramid: Pyramid, mesh: FaceMesh): Promise<Float32Array>
}
