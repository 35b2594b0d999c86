/** Re-extracts the templates of collections after a change of the template network or the cohort. */
import type { Assessor } from '../assess/assessor.ts'
import type { Cohort } from '../decide/cohort.ts'
import { type NormalizedTemplate, normalizeTemplate } from '../decide/comparison.ts'
import { checkTemplate } from '../decide/sample.ts'
import { hasCode } from '../errors.ts'
import { openMedium } from '../media/opened-medium.ts'
import { type WorkOffRules, workOff } from '../queue/work-off.ts'
import { mediumFiles } from '../records/medium.ts'
import type { BlobStore } from '../storage/blobs/blob-store.ts'
import type { OutdatedTemplate, TemplateStore } from '../storage/collections/template-store.ts'
import { isPhotoFault } from './photo-fault.ts'

export interface RenewalDeps {
  templates: TemplateStore
  assessor: Assessor
  blobs: BlobStore
  cohort: Cohort
  nowMs(): number
  /** Called for a photo from which no template can be extracted any more. */
  onUnusable(template: OutdatedTemplate): void
  /** Called from time to time with the number of renewed templates. */
  onProgress(renewed: number): void
  /** Called at the end with templates that could not be renewed now, such as for a photo that cannot be read. The next call tries them again. */
  onFailed(failed: number, lastError: unknown): void
}

const templatesAtOnce = 100
/** A photo that crashed workers or took too long is assessed again: the machine may be the reason, and giving up is final. */
const attemptsMax = 2
const wanted = { faces: true, template: true, pad: false, bestShot: false }

/** Normalises a vector of the same network against the new cohort; otherwise extracts a new one from the photo. */
async function reextractTemplate(
  deps: RenewalDeps,
  old: OutdatedTemplate,
): Promise<NormalizedTemplate | null> {
  const { cohort, blobs, assessor } = deps
  const { templateModelId } = cohort
  const [network, , isUnusable] = old.models.split(' ')
  // A template that could not be renewed carries the key of newer models, but its vector is of older ones.
  if (network === templateModelId && isUnusable === undefined)
    return normalizeTemplate(cohort, { modelId: templateModelId, vector: old.vector })
  const bytes = await blobs.read(mediumFiles(old.collectionId, old.imageId, old).original)
  if (!bytes) return null
  const assessment = await assessor.assess(openMedium(bytes), wanted)
  if (checkTemplate({ id: old.imageId, tags: old.tags, assessment }, 'record')) return null
  const result = assessment.subject?.template
  return result?.status === 'extracted' ? normalizeTemplate(cohort, result.template) : null
}

/** @returns `null` for a photo from which no template can be extracted */
async function reextractPatiently(
  deps: RenewalDeps,
  old: OutdatedTemplate,
  signal: AbortSignal,
): Promise<NormalizedTemplate | null> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await reextractTemplate(deps, old)
    } catch (error) {
      if (!isPhotoFault(error)) throw error
      const isFinal = error.code !== 'media_unprocessable' || attempt === attemptsMax
      if (isFinal || signal.aborted) return null
    }
  }
}

async function renew(deps: RenewalDeps, old: OutdatedTemplate, signal: AbortSignal): Promise<void> {
  const { templates, nowMs, onUnusable } = deps
  const made = await reextractPatiently(deps, old, signal)
  if (made) return templates.replace(old, made, nowMs())
  if (signal.aborted) return
  await templates.giveUp(old)
  onUnusable(old)
}

/** Failures of the machine, which say nothing of the template. */
const isTemporary = (error: unknown): boolean => hasCode(error, 'overloaded', 'engine_unavailable')

/**
 * Renews all templates of other models. Until then searches of their collections wait. If no template can be extracted
 * from a photo, searches of its collection stay incomplete. A template that fails stops no other.
 * @param signal aborted when the service shuts down
 * @throws {AppError} for a temporary failure, such as a full queue or an unreachable database; the next call continues
 */
export async function renewTemplates(deps: RenewalDeps, signal: AbortSignal): Promise<void> {
  const { templates, blobs, onProgress, onFailed } = deps
  const failures: unknown[] = []
  const rules: WorkOffRules = {
    onError: (error) => void failures.push(error),
    async check(error) {
      if (isTemporary(error)) throw error
      await Promise.all([blobs.check(), templates.otherModels()])
    },
  }
  let renewed = 0
  for (const models of await templates.otherModels()) {
    for (let last = 0; ; ) {
      const numbers = await templates.outdated(models, last, templatesAtOnce)
      if (numbers.length === 0) break
      last = numbers.at(-1)!
      const page: OutdatedTemplate[] = []
      const read = async (some: readonly number[]) =>
        void page.push(...(await templates.readOutdated(models, some)))
      await workOff(numbers, read, rules)
      for (const old of page) {
        if (signal.aborted) return
        const failed = await workOff([old], () => renew(deps, old, signal), rules)
        renewed += 1 - failed.length
      }
      onProgress(renewed)
    }
  }
  if (failures.length > 0) onFailed(failures.length, failures.at(-1))
}
