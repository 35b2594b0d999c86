import type { FaceMesh } from '../facemesh.ts'
import type { Pyramid } from '../pyramid.ts'

/** One way of making templates. */
export interface TemplateMethod {
  /** Names network, alignment and all that is averaged together: what has another id is never compared. */
  readonly id: string
  /** Numbers of a template. */
  readonly length: number
  extract(pyramid: Pyramid, mesh: FaceMesh): Promise<Float32Array>
}
