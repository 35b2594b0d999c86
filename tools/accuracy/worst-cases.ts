/** The comparisons and samples with the worst scores, by name. */
import type { AssessedSample } from './attack-figures.ts'
import type { ComparedPair } from './matching-figures.ts'

export interface WorstCases {
  /** Mated pairs, the lowest score first. */
  mated: ComparedPair[]
  /** Non-mated pairs, the highest score first. */
  nonMated: ComparedPair[]
  /** Bona fide samples, the highest attack score first. */
  bonaFide: AssessedSample[]
  /** Attacks, the lowest attack score first. */
  attacks: AssessedSample[]
}

/** The first rows of an order. */
function first<Row>(rows: readonly Row[], count: number, order: (row: Row) => number): Row[] {
  return [...rows].sort((a, b) => order(a) - order(b)).slice(0, count)
}

/** @param count maximum number of each kind */
export const worstCases = (
  pairs: readonly ComparedPair[],
  samples: readonly AssessedSample[],
  count: number,
): WorstCases => ({
  mated: first(
    pairs.filter(({ mated }) => mated),
    count,
    ({ logOdds }) => logOdds,
  ),
  nonMated: first(
    pairs.filter(({ mated }) => !mated),
    count,
    ({ logOdds }) => -logOdds,
  ),
  bonaFide: first(
    samples.filter(({ bonaFide }) => bonaFide),
    count,
    ({ score }) => -score,
  ),
  attacks: first(
    samples.filter(({ bonaFide }) => !bonaFide),
    count,
    ({ score }) => score,
  ),
})
