import type { NormalizedTemplate } from '../decide/comparison.ts'
import { BestSubjects } from './best-subjects.ts'
import type { Candidate, GallerySource, Pause } from './source.ts'

/** Templates read from the source per page: half a megabyte. */
const pageRows = 1000
/** A scan that found templates removed in the meantime is repeated up to this number of attempts; then they are left out. */
const attemptsMax = 3

/** Compares a probe with every template of a collection, read page by page. */
export async function scanSource(
  source: GallerySource,
  pause: Pause,
  collectionId: string,
  probe: NormalizedTemplate,
  countMax: number,
): Promise<Candidate[]> {
  for (let attempt = 1; ; attempt++) {
    const best = new BestSubjects(probe, countMax)
    let after = 0
    for (;;) {
      const page = await source.added(collectionId, after, pageRows)
      for (const template of page) best.add(template)
      const last = page.at(-1)
      if (page.length < pageRows || !last) break
      after = last.number
      await pause()
    }
    const candidates = best.list()
    // A single page is consistent; with several, the first ones may be outdated.
    if (after === 0 || candidates.length === 0) return candidates
    const rest = await source.read(
      collectionId,
      candidates.map(({ number }) => number),
    )
    const numbers = new Set(rest.map(({ number }) => number))
    const present = candidates.filter(({ number }) => numbers.has(number))
    if (present.length === candidates.length || attempt === attemptsMax) return present
  }
}
