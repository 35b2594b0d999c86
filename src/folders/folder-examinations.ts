/** Looks at the media of a folder once, for all of its analyses that run together. */
import type { AnalysisRecord } from '../records/analysis.ts'
import type { MediumRecord } from '../records/medium.ts'
import type { TakenFolder } from '../storage/folders/job-store.ts'
import { type ExaminedMedium, type KeptMedia, mediumLost } from './kept-media.ts'
import type { AssessedMedium } from './run-analysis.ts'

export class FolderExaminations {
  readonly #keptMedia: Pick<KeptMedia, 'examine' | 'wanted'>
  readonly #taken: Pick<TakenFolder, 'folder' | 'open' | 'findings'>
  readonly #mayBeOfOthers: (error: unknown) => boolean
  /** By medium and by what is wanted of it. */
  readonly #begun = new Map<string, Promise<ExaminedMedium>>()

  /** @param mayBeOfOthers whether what failed may succeed for an analysis that needs less */
  constructor(
    keptMedia: Pick<KeptMedia, 'examine' | 'wanted'>,
    taken: Pick<TakenFolder, 'folder' | 'open' | 'findings'>,
    mayBeOfOthers: (error: unknown) => boolean,
  ) {
    this.#keptMedia = keptMedia
    this.#taken = taken
    this.#mayBeOfOthers = mayBeOfOthers
  }

  has(mediumId: string): boolean {
    return this.#taken.folder.media.some(({ id }) => id === mediumId)
  }

  /**
   * What was found in a medium. If that fails for all analyses together, it is tried once more for those that need no text of
   * it: reading a document must not cost the others their result.
   * @throws {AppError} as `KeptMedia.examine`
   */
  async examine(mediumId: string, analysis: AnalysisRecord): Promise<AssessedMedium> {
    const { open } = this.#taken
    try {
      return (await this.#look(mediumId, open)).assessed
    } catch (error) {
      const others = open.filter((one) => !this.#readsDocument(mediumId, one))
      if (!this.#mayBeOfOthers(error) || others.length === open.length || !others.includes(analysis))
        throw error
      return (await this.#look(mediumId, others)).assessed
    }
  }

  #readsDocument(mediumId: string, analysis: AnalysisRecord): boolean {
    const { document } = this.#keptMedia.wanted(this.#find(mediumId), [analysis])
    return document !== undefined
  }

  /** @throws `mediumLost` */
  #find(mediumId: string): MediumRecord {
    const medium = this.#taken.folder.media.find(({ id }) => id === mediumId)
    if (!medium) throw mediumLost
    return medium
  }

  /** The looks that have succeeded. */
  async successes(): Promise<ExaminedMedium[]> {
    const outcomes = await Promise.allSettled(this.#begun.values())
    return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
  }

  /** Those who want the same get the same, also the same failure. */
  #look(mediumId: string, analyses: readonly AnalysisRecord[]): Promise<ExaminedMedium> {
    const { folder, findings } = this.#taken
    const medium = this.#find(mediumId)
    const key = `${mediumId} ${JSON.stringify(this.#keptMedia.wanted(medium, analyses))}`
    const known = findings.find((found) => found.mediumId === mediumId) ?? null
    const begun = this.#begun.get(key) ?? this.#keptMedia.examine(folder, medium, analyses, known)
    this.#begun.set(key, begun)
    return begun
  }
}
