/** Counts clips of attacks that pass. */
import type { ClipFormat } from './animation/animated-stills.ts'
import type { ClipRow } from './clip-report.ts'
import { groupBy } from './group-by.ts'

export interface AttackRow extends ClipRow {
  animation: string
  format: ClipFormat
}

interface AttackCounts {
  /** Number of decided clips, and of those that passed. */
  decided: number
  passed: number
  failed: number
  /** Clips that would pass by their frames alone: only for these do other checks matter. */
  passedByFrames: number
}

const counts = (rows: readonly AttackRow[], threshold: number): AttackCounts => ({
  decided: rows.filter(({ outcome }) => outcome !== 'failed').length,
  passed: rows.filter(({ outcome }) => outcome === 'passed').length,
  failed: rows.filter(({ outcome }) => outcome === 'failed').length,
  passedByFrames: rows.filter(({ pad }) => pad !== null && pad < threshold).length,
})

/** By attack and encoding. */
export function attackReport(rows: readonly AttackRow[], threshold: number) {
  return [...groupBy(rows, ({ animation }) => animation)].map(([animation, all]) => {
    const of = (format: ClipFormat) =>
      counts(
        all.filter((row) => row.format === format),
        threshold,
      )
    const decided = all.filter(({ outcome }) => outcome !== 'failed')
    return {
      animation,
      zip: of('zip'),
      mp4: of('mp4'),
      /** Number of decided clips by class of the movement. */
      movement: [...groupBy(decided, ({ tells }) => tells ?? 'not measured')].map(
        ([tells, clips]) => [tells, clips.length] as const,
      ),
      /** Number of clips that were not decided, by failure. */
      failures: [...groupBy(all, ({ outcome, reason }) => (outcome === 'failed' ? (reason ?? '') : ''))]
        .filter(([reason]) => reason !== '')
        .map(([reason, clips]) => [reason, clips.length] as const),
    }
  })
}

/** Formats the report as a Markdown table. */
export function attackText(report: ReturnType<typeof attackReport>): string {
  const list = (counted: readonly (readonly [string, number])[]) =>
    counted.map(([name, count]) => `${name} ${count}`).join(', ')
  const line = ({ animation, zip, mp4, movement, failures }: (typeof report)[number]) => {
    const cells = [
      animation,
      `${zip.passed} of ${zip.decided}`,
      `${mp4.passed} of ${mp4.decided}`,
      `${zip.passedByFrames + mp4.passedByFrames} of ${zip.decided + mp4.decided}`,
      list(movement) || '–',
      list(failures) || '0',
    ]
    return `| ${cells.join(' | ')} |`
  }
  const head = [
    '| attack | passed: ZIP of JPEGs | H.264 | by frames alone | movement answers | not decided |',
    '| --- | --- | --- | --- | --- | --- |',
  ]
  return [...head, ...report.map(line)].join('\n')
}
