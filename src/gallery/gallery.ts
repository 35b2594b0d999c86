/** 1:N search in collections: the probe is compared with every template, exactly. */
import { type Comparison, compareTemplates, type PlacedTemplate } from '../decide/comparison.ts'

/** A template enrolled in a collection, placed in the cohort. */
export interface EnrolledTemplate extends PlacedTemplate {
  /** Key of the row: ascending, never used again. */
  number: number
  /** Whom it belongs to. */
  subjectId: string
}

/** The truth about collections: the database. */
export interface GallerySource {
  state(collectionId: string): Promise<{ count: number } | null>
  added(collectionId: string, after: number, max: number): Promise<EnrolledTemplate[]>
}

/** A subject that may be the probe's, by its best template. */
export interface Candidate extends Comparison {
  number: number
  subjectId: string
}

const templatesAtOnce = 1000

export class Gallery {
  readonly #source: GallerySource

  constructor({ source }: { source: GallerySource }) {
    this.#source = source
  }

  /** The subjects most like the probe, best first; `null` when there is no such collection. */
  async search(id: string, probe: PlacedTemplate, countMax: number): Promise<Candidate[] | null> {
    if (!(await this.#source.state(id))) return null
    const best = new Map<string, Candidate>()
    for (let after = 0; ; ) {
      const templates = await this.#source.added(id, after, templatesAtOnce)
      for (const template of templates) {
        const { number, subjectId } = template
        after = number
        const candidate = { number, subjectId, ...compareTemplates(template, probe) }
        if (candidate.score > (best.get(subjectId)?.score ?? -1)) best.set(subjectId, candidate)
      }
      if (templates.length < templatesAtOnce) break
    }
    return [...best.values()].sort((a, b) => b.score - a.score || a.number - b.number).slice(0, countMax)
  }

  async refresh(): Promise<void> {}
}
