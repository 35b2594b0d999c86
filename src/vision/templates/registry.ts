import type { Engine, ModelId } from '../../inference/engine.ts'
import type { FaceMesh } from '../facemesh.ts'
import { lookUpNetwork } from '../look-up-network.ts'
import type { Pyramid } from '../pyramid.ts'
import { openDlibTemplates } from './dlib.ts'
import { openFacepluginTemplates } from './faceplugin.ts'
import type { TemplateMethod } from './template-method.ts'

/** Features of one face. Only templates with the same `modelId` can be compared. */
export interface Template {
  /** The `id` of the method that extracted it. */
  modelId: string
  vector: Float32Array
}

const methods: Readonly<Record<ModelId, (engine: Engine) => TemplateMethod>> = {
  'dlib-resnet29': openDlibTemplates,
  'faceplugin-feature': openFacepluginTemplates,
}

/**
 * Opens the template method of a network. Templates are compared by Euclidean distance (`decide/comparison.ts`).
 * @throws {TypeError} for a network of another task
 * @example
 * ```ts
 * import { detectPortrait, engine, profile } from '../../../test/fixtures/networks.ts'
 * import { openLandmarkMethod } from '../landmarks.ts'
 * import { extractTemplate, openTemplateMethod } from './registry.ts'
 *
 * const { pyramid, face } = await detectPortrait('redhead')
 * const mesh = await openLandmarkMethod(engine, profile.landmarks)(pyramid, face)
 * const method = openTemplateMethod(engine, profile.template)
 * const template = await extractTemplate(method, pyramid, mesh)
 * template.modelId === method.id // → true
 * template.vector.length === method.length // → true
 * ```
 */
export const openTemplateMethod = (engine: Engine, model: ModelId): TemplateMethod =>
  lookUpNetwork(methods, model, 'make templates')(engine)

/** Extracts the biometric template of a face. */
export async function extractTemplate(
  method: TemplateMethod,
  pyramid: Pyramid,
  mesh: FaceMesh,
): Promise<Template> {
  return { modelId: method.id, vector: await method.extract(pyramid, mesh) }
}
