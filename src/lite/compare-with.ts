import type { Decision } from '../decide/analysis.ts'
import type { Cohort } from '../decide/cohort.ts'
import { compareTemplates, normalizeTemplate } from '../decide/comparison.ts'
import { decideMatch, type MatchBand } from '../decide/match.ts'
import { pause } from '../queue/timers.ts'
import type { Template } from '../vision/templates/registry.ts'

export interface LiteComparison {
  score: number
  decision: Decision
}

/** Comparisons, about 10 ms of work, between two turns of the event loop. */
const comparisonsPerTurn = 200

/** Compares one template with others, in their order. */
export async function compareWith(
  cohort: Cohort,
  band: MatchBand,
  main: Template,
  others: readonly Template[],
): Promise<LiteComparison[]> {
  const placed = normalizeTemplate(cohort, main)
  const comparisons: LiteComparison[] = []
  for (const [index, other] of others.entries()) {
    if (index > 0 && index % comparisonsPerTurn === 0) await pause(0)
    const { score } = compareTemplates(placed, normalizeTemplate(cohort, other))
    comparisons.push({ score, decision: decideMatch(score, band) })
  }
  return comparisons
}
