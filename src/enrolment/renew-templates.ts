/** After a change of the template network or of the cohort: makes the templates of collections anew. */
import type { Assessor } from '../assess/assessor.ts'
import type { Cohort } from '../decide/cohort.ts'
import { type PlacedTemplate, placeTemplate } from '../decide/comparison.ts'
import { templateFailure } from '../decide/sample.ts'
import { mediumFiles } from '../records/medium.ts'
import type { BlobStore } from '../storage/blob-store.ts'
import type { OutdatedTemplate, TemplateStore } from '../storage/template-store.ts'

export interface RenewalParts {
  templates: TemplateStore
  assessor: Assessor
  blobs: BlobStore
  cohort: Cohort
  /** The network that makes templates now. */
  templateModelId: string
  nowMs(): number
  onTrouble(error: unknown): void
  /** Told in between what was done, and what could not be. */
  onProgress(renewed: number, failed: number): void
  /** Set when the service is about to end. */
  signal: AbortSignal
}

const templatesAtOnce = 100

/** A vector of the same network has only to be placed in the new cohort; another one is made from the photo. */
async function madeAnew(parts: RenewalParts, old: OutdatedTemplate): Promise<PlacedTemplate | null> {
  const { cohort, templateModelId, blobs, assessor } = parts
  if (old.models.split(' ')[0] === templateModelId)
    return placeTemplate(cohort, { modelId: templateModelId, vector: old.vector })
  const bytes = await blobs.read(mediumFiles(old.collectionId, old.imageId, old.mimeType).original)
  if (!bytes) return null
  const wanted = { faces: true, template: true, pad: false, bestShot: false }
  const assessment = await assessor.assess(bytes, wanted)
  if (templateFailure({ id: old.imageId, tags: old.tags, assessment }, 'record')) return null
  const result = assessment.subject?.template
  return result?.status === 'extracted' ? placeTemplate(cohort, result.template) : null
}

/** Renews all templates of other models. One that cannot be made stays as it is, unfindable, and is counted. */
export async function renewTemplates(parts: RenewalParts): Promise<void> {
  const { templates, nowMs, signal, onTrouble, onProgress } = parts
  let renewed = 0
  let failed = 0
  for (const models of await templates.otherModels()) {
    let after = 0
    for (;;) {
      const outdated = await templates.outdated(models, after, templatesAtOnce)
      for (const old of outdated) {
        if (signal.aborted) return
        after = old.number
        const made = await madeAnew(parts, old).catch((error: unknown) => {
          onTrouble(error)
          return null
        })
        if (made) await templates.replace(old, made, nowMs())
        if (made) renewed++
        else failed++
      }
      if (outdated.length === 0) break
      onProgress(renewed, failed)
    }
  }
}
