/** All results of a run, as shown on the page and in the JSON. */
import type { AssessedSample, AttackSet } from './attack-figures.ts'
import type { ComparedPair, MatchingFigures } from './matching-figures.ts'
import type { WorstCases } from './worst-cases.ts'

export interface Measurement {
  profile: string
  /** Assurance of the profile according to the manifest. */
  assurance: string
  models: { task: string; id: string; name: string }[]
  /** Identifies network, alignment and use of the mirror image. */
  templateModelId: string
  cohort: string
  /** ISO 8601, UTC. */
  date: string
  machine: { cpu: string; cores: number; runtime: string }
  pictures: number
  people: number
  matching: {
    figures: MatchingFigures
    accuracy: number | null
    pairs: readonly ComparedPair[]
    notCompared: number
  } | null
  attack: {
    figures: readonly AttackSet[]
    samples: readonly AssessedSample[]
    threshold: number
    areaUnderCurve: number | null
  }
  worst: WorstCases
  /** Pictures without a score, with the reason. */
  unassessed: readonly { file: string; reason: string }[]
  /** Data URLs of small pictures by file; `null` if the page shows none. */
  thumbnails: ReadonlyMap<string, string> | null
}
