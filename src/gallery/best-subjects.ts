import { type Comparison, compareTemplates, type NormalizedTemplate } from '../decide/comparison.ts'
import type { Candidate, EnrolledTemplate } from './source.ts'

const compareCandidates = (a: Candidate, b: Candidate): number =>
  a.normalisedDistance - b.normalisedDistance || a.number - b.number

/** Additional candidates kept before the list is trimmed. */
const slack = 1024

/** Collects the best subjects among many templates, each by its best template; ties go to the lower number. */
export class BestSubjects {
  readonly #probe: NormalizedTemplate
  readonly #countMax: number
  #bySubject = new Map<string, Candidate>()

  constructor(probe: NormalizedTemplate, countMax: number) {
    this.#probe = probe
    this.#countMax = countMax
  }

  add({ number, subjectId, ...template }: EnrolledTemplate): void {
    const comparison: Comparison = compareTemplates(template, this.#probe)
    const candidate = { ...comparison, number, subjectId }
    const known = this.#bySubject.get(subjectId)
    if (!known || compareCandidates(candidate, known) < 0) this.#bySubject.set(subjectId, candidate)
    if (this.#bySubject.size > 2 * this.#countMax + slack)
      this.#bySubject = new Map(this.list().map((best) => [best.subjectId, best]))
  }

  /** Best first, at most `countMax`. */
  list(): Candidate[] {
    return [...this.#bySubject.values()].sort(compareCandidates).slice(0, this.#countMax)
  }
}
