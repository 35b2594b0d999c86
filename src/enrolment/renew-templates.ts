/** After a change of the template network or of the cohort: makes the templates of collections anew. */
import type { Assessor } from '../assess/assessor.ts'
import type { Cohort } from '../decide/cohort.ts'
import { type NormalizedTemplate, normalizeTemplate } from '../decide/comparison.ts'
import { checkTemplate } from '../decide/sample.ts'
import { AppError } from '../errors.ts'
import { mediumFiles } from '../records/medium.ts'
import type { BlobStore } from '../storage/blobs/blob-store.ts'
import type { OutdatedTemplate, TemplateStore } from '../storage/collections/template-store.ts'

export interface RenewalDeps {
  templates: TemplateStore
  assessor: Assessor
  blobs: BlobStore
  cohort: Cohort
  nowMs(): number
  /** Told of a photo that no template can be made of any more. */
  onUnusable(template: OutdatedTemplate): void
  /** Told in between how many were made anew. */
  onProgress(renewed: number): void
}

const templatesAtOnce = 100
const wanted = { faces: true, template: true, pad: false, bestShot: false }

/** What no later try gets over. */
const isFinal = (error: unknown): boolean =>
  error instanceof AppError && (error.code === 'media_unreadable' || error.code === 'media_unsupported')

/** A vector of the same network has only to be placed in the new cohort; another one is made from the photo. */
async function reextractTemplate(
  deps: RenewalDeps,
  old: OutdatedTemplate,
): Promise<NormalizedTemplate | null> {
  const { cohort, blobs, assessor } = deps
  const { templateModelId } = cohort
  const [network, , isUnusable] = old.models.split(' ')
  // What could not be made anew before bears the mark of newer models and is still a vector of older ones.
  if (network === templateModelId && isUnusable === undefined)
    return normalizeTemplate(cohort, { modelId: templateModelId, vector: old.vector })
  const bytes = await blobs.read(mediumFiles(old.collectionId, old.imageId, old.mimeType).original)
  if (!bytes) return null
  const assessment = await assessor.assess(bytes, wanted)
  if (checkTemplate({ id: old.imageId, tags: old.tags, assessment }, 'record')) return null
  const result = assessment.subject?.template
  return result?.status === 'extracted' ? normalizeTemplate(cohort, result.template) : null
}

async function renew(deps: RenewalDeps, old: OutdatedTemplate): Promise<void> {
  const { templates, nowMs, onUnusable } = deps
  const made = await reextractTemplate(deps, old).catch((error: unknown) => {
    if (isFinal(error)) return null
    throw error
  })
  if (made) return templates.replace(old, made, nowMs())
  await templates.giveUp(old)
  onUnusable(old)
}

/**
 * Renews all templates of other models. Until then searches of their collections wait; those with a photo of which no
 * template can be made are incomplete from then on.
 * @param signal aborted when the service is about to end
 * @throws {AppError} what keeps it from going on now, as a full queue or a database that is away; it goes on where it was
 */
export async function renewTemplates(deps: RenewalDeps, signal: AbortSignal): Promise<void> {
  const { templates, onProgress } = deps
  let renewed = 0
  for (const models of await templates.otherModels()) {
    for (;;) {
      const outdated = await templates.outdated(models, templatesAtOnce)
      for (const old of outdated) {
        if (signal.aborted) return
        await renew(deps, old)
        renewed++
      }
      if (outdated.length === 0) break
      onProgress(renewed)
    }
  }
}
