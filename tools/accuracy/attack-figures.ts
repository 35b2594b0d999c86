/** Error rates of presentation attack detection by PAI species and source of bona fide samples. */
import { groupBy } from './group-by.ts'
import { type Interval, wilson } from './intervals.ts'
import type { PadRow } from './tables.ts'

export type AssessedSample = PadRow & { score: number }

interface AttackRate {
  threshold: number
  errors: number
  rate: number
  interval: Interval | null
}

export interface AttackSet {
  name: string
  kind: 'attack' | 'bona fide'
  count: number
  /** APCER of attacks, BPCER of bona fide samples. */
  at: AttackRate[]
}

const attackThresholds = [0.2, 0.5, 0.8]

function describe(
  name: string,
  samples: readonly AssessedSample[],
  thresholds: readonly number[],
): AttackSet {
  const isBonaFide = samples[0]!.bonaFide
  return {
    name,
    kind: isBonaFide ? 'bona fide' : 'attack',
    count: samples.length,
    at: thresholds.map((threshold) => {
      const errors = samples.filter(({ score }) => score >= threshold === isBonaFide).length
      const rate = errors / samples.length
      return { threshold, errors, rate, interval: wilson(rate, samples.length) }
    }),
  }
}

/** Attacks first, then bona fide samples; each kind by set, followed by its total. */
export function attackFigures(samples: readonly AssessedSample[], threshold: number): AttackSet[] {
  const thresholds = [...new Set([...attackThresholds, threshold])].sort((a, b) => a - b)
  return [false, true].flatMap((isBonaFide) => {
    const kind = samples.filter(({ bonaFide }) => bonaFide === isBonaFide)
    if (kind.length === 0) return []
    return [
      ...[...groupBy(kind, ({ detail }) => detail)].map(([name, rows]) => describe(name, rows, thresholds)),
      describe(isBonaFide ? 'all bona fide' : 'all attacks', kind, thresholds),
    ]
  })
}
