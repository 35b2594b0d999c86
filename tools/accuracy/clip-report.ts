/** Error rates of clips. */

import type { classifyMovement } from '../../src/decide/clip-attack.ts'
import type { GestureFindings, GestureName } from '../../src/vision/clip/gestures.ts'
import { wilson } from './intervals.ts'
import { intervalText } from './page/numbers.ts'

export interface ClipRow {
  name: string
  /** Name of the motion applied to a picture; `null` for a clip of a person. */
  species: string | null
  outcome: 'passed' | 'declined' | 'failed'
  /** The failure, or why the clip was refused. */
  reason: string | null
  /** Attack score of the frames alone, and of all evidence; `null` if there is none. */
  pad: number | null
  attack: number | null
  /** Own movement of the face, and its movement through the frame. */
  own: number | null
  view: number | null
  tilt: number | null
  /** Class of the movement; `null` if it was not measured. */
  tells: ReturnType<typeof classifyMovement> | null
  /** How exactly the movement repeats; 0 means exactly. */
  recurrence: number | null
  identityDistance: number | null
  repeatedShare: number | null
}

/** Gestures that a clip is known to show, compared with those found. */
export interface GestureRow {
  shown: ReadonlySet<GestureName>
  unclear: ReadonlySet<GestureName>
  findings: GestureFindings | null
}

const spread = (values: readonly number[]) => {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null
  return { count: sorted.length, min: at(0), p5: at(0.05), median: at(0.5), p95: at(0.95), max: at(1) }
}

const numbers = (values: readonly (number | null)[]): number[] => values.filter((value) => value !== null)

function describe(rows: readonly ClipRow[], threshold: number) {
  const count = (outcome: ClipRow['outcome']) => rows.filter((row) => row.outcome === outcome).length
  const [passed, declined, failed] = [count('passed'), count('declined'), count('failed')]
  const assessed = numbers(rows.map(({ pad }) => pad))
  const decided = passed + declined
  return {
    clips: rows.length,
    passed,
    declined,
    failed,
    /** Wilson interval over the decided clips. */
    apcerInterval: wilson(passed / decided, decided),
    bpcerInterval: wilson(declined / decided, decided),
    /** Clips that would pass by their frames alone. */
    passedByFrames: assessed.filter((score) => score < threshold).length,
    /** Clips decided by the frames, because their movement is no evidence. */
    still: rows.filter((row) => row.outcome !== 'failed' && row.tells === 'nothing').length,
    pad: spread(assessed),
    own: spread(numbers(rows.map(({ own }) => own))),
    recurrence: spread(numbers(rows.map(({ recurrence }) => recurrence))),
    view: spread(numbers(rows.map(({ view }) => view))),
    identityDistance: spread(numbers(rows.map(({ identityDistance }) => identityDistance))),
    repeatedShare: spread(numbers(rows.map(({ repeatedShare }) => repeatedShare))),
  }
}

/** By PAI species, and for clips of people. APCER and BPCER are shares of the decided clips. */
export function clipReport(rows: readonly ClipRow[], threshold: number) {
  const attacks = rows.filter(({ species }) => species !== null)
  const species = [...new Set(attacks.map((row) => row.species!))]
  return {
    threshold,
    bonaFide: describe(
      rows.filter((row) => row.species === null),
      threshold,
    ),
    species: Object.fromEntries(
      species.map((name) => [
        name,
        describe(
          attacks.filter((row) => row.species === name),
          threshold,
        ),
      ]),
    ),
    attacks: describe(attacks, threshold),
  }
}

const askable: readonly GestureName[] = [
  'eyes',
  'smile',
  'left',
  'right',
  'high',
  'down',
  'zoom_in',
  'zoom_out',
  'scan',
]

/** For each gesture, how often it was found in clips that show it and in clips that do not. */
export function gestureReport(rows: readonly GestureRow[]) {
  return askable.map((gesture) => {
    const sure = rows.filter(({ unclear, findings }) => findings && !unclear.has(gesture))
    const found = (row: GestureRow): boolean => row.findings![gesture].isPerformed
    const shown = sure.filter((row) => row.shown.has(gesture))
    const absent = sure.filter((row) => !row.shown.has(gesture))
    return {
      gesture,
      hits: shown.filter(found).length,
      misses: shown.filter((row) => !found(row)).length,
      falseAlarms: absent.filter(found).length,
      rightlyNone: absent.filter((row) => !found(row)).length,
      unclear: rows.length - sure.length,
      foundWhereUnclear: rows.filter(
        ({ unclear, findings }) => findings && unclear.has(gesture) && findings[gesture].isPerformed,
      ).length,
    }
  })
}

type Description = ReturnType<typeof describe>
type Spread = ReturnType<typeof spread>

const spreadText = ({ count, min, p5, median, p95, max }: Spread): string =>
  count === 0 ? '—' : `${[min, p5, median, p95, max].map((value) => value!.toFixed(3)).join(' ')} (${count})`

function line(name: string, rate: 'APCER' | 'BPCER', row: Description): string {
  const decided = row.passed + row.declined
  const errors = rate === 'APCER' ? row.passed : row.declined
  const byFrames = rate === 'APCER' ? row.passedByFrames : decided - row.passedByFrames
  const share = decided === 0 ? '—' : `${((errors / decided) * 100).toFixed(1)} %`
  const within = intervalText(rate === 'APCER' ? row.apcerInterval : row.bpcerInterval)
  return [
    `${rate} ${share.padStart(7)} (95 %: ${within})  ${errors} of ${decided} (by frames alone ${byFrames}), ${row.failed} not decided`,
    `, movement tells nothing of ${row.still}: ${name}`,
    `\n    own movement ${spreadText(row.own)}; comes back ${spreadText(row.recurrence)}; through the frame ${spreadText(row.view)}; frames ${spreadText(row.pad)}; identity ${spreadText(row.identityDistance)}`,
  ].join('')
}

export function clipText({ threshold, bonaFide, species, attacks }: ReturnType<typeof clipReport>): string {
  return [
    `Clips at attack score ${threshold}; of each measure least, 5 %, median, 95 %, largest (clips)`,
    ...Object.entries(species).map(([name, row]) => line(name, 'APCER', row)),
    line('all moved stills', 'APCER', attacks),
    line('clips of people', 'BPCER', bonaFide),
  ].join('\n')
}

export function gestureText(rows: ReturnType<typeof gestureReport>): string {
  const cells = (values: readonly (string | number)[]) =>
    values.map((value, i) => (i === 0 ? String(value).padEnd(10) : String(value).padStart(14))).join('')
  return [
    cells(['gesture', 'hits', 'misses', 'false alarms', 'rightly none', 'unclear', 'found there']),
    ...rows.map((row) => cells(Object.values(row))),
  ].join('\n')
}
