/** All that one run found out, as the page and the JSON tell it. */
import type { AssessedSample, AttackSet } from './attack-figures.ts'
import type { ComparedPair, MatchingFigures } from './matching-figures.ts'
import type { WorstCases } from './worst-cases.ts'

export interface Measurement {
  profile: string
  /** Of the profile, as the manifest says. */
  assurance: string
  models: { task: string; id: string; name: string }[]
  /** Names network, alignment and mirror image together. */
  templateModelId: string
  cohort: string
  /** ISO 8601, universal time. */
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
  /** Data addresses of small pictures by file; `null` where the page is to show none. */
  thumbnails: ReadonlyMap<string, string> | null
}
