/** Rates of the answers to a challenge, by attack, light and group. */
import type { ApproachFinding } from '../../../src/vision/challenge/measure-approach.ts'
import type { LightFinding } from '../../../src/vision/challenge/measure-light.ts'
import { groupBy } from '../group-by.ts'
import { type Interval, wilson } from '../intervals.ts'

export interface ChallengeRow {
  step: 'colours' | 'approach'
  person: string
  /** '' if unknown. */
  group: string
  /** `person`, or the attack. */
  kind: string
  /** Ambient light; `null` where it does not matter. */
  lux: number | null
  found: LightFinding | ApproachFinding
}

export interface ChallengeCount {
  step: string
  kind: string
  lux: number | null
  group: string | null
  clips: number
  performed: number
  notPerformed: number
  cannotTell: number
  /** 95 % interval of the share that performed. */
  interval: Interval | null
}

/** Ambient light up to which people should be told. */
const luxTold = 500

function count(rows: readonly ChallengeRow[], group: string | null): ChallengeCount {
  const [{ step, kind, lux }] = rows as [ChallengeRow]
  const of = (status: string) => rows.filter(({ found }) => found.status === status).length
  const performed = of('performed')
  return {
    ...{ step, kind, lux, group, clips: rows.length, performed },
    notPerformed: of('not_performed'),
    cannotTell: of('cannot_tell'),
    interval: wilson(performed / rows.length, rows.length),
  }
}

/** By step, kind and light, and of people up to `luxTold` also by group. */
export function challengeReport(rows: readonly ChallengeRow[]): ChallengeCount[] {
  const kinds = groupBy(rows, ({ step, kind, lux }) => `${step} ${kind} ${lux}`)
  const told = rows.filter(
    ({ kind, lux, group }) => kind === 'person' && (lux ?? 0) <= luxTold && group !== '',
  )
  const groups = groupBy(told, ({ step, group }) => `${step} ${group}`)
  return [
    ...[...kinds.values()].map((some) => count(some, null)),
    ...[...groups.values()].map((some) => ({ ...count(some, some[0]!.group), lux: null })),
  ]
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

export function challengeText(counts: readonly ChallengeCount[]): string {
  const line = ({
    step,
    kind,
    lux,
    group,
    clips,
    performed,
    notPerformed,
    cannotTell,
    interval,
  }: ChallengeCount) =>
    [
      `| ${step}`,
      group ? `${kind}, ${group}` : kind,
      group && step === 'colours' ? `up to ${luxTold}` : (lux ?? ''),
      `${performed} of ${clips} (${percent(interval!.low)} to ${percent(interval!.high)})`,
      notPerformed,
      `${cannotTell} |`,
    ].join(' | ')
  return [
    '| step | clips | lux | performed | not performed | cannot tell |',
    '| --- | --- | --- | --- | --- | --- |',
    ...counts.map(line),
  ].join('\n')
}
