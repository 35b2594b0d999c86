/** Counts animated stills that pass. */
import type { ClipFormat } from './animation/animated-stills.ts'
import type { ClipRow } from './clip-report.ts'

export interface AttackRow extends ClipRow {
  animation: string
  format: ClipFormat
}

export interface AttackCounts {
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

/** By animation and encoding. */
export function attackReport(rows: readonly AttackRow[], threshold: number) {
  return [...new Set(rows.map(({ animation }) => animation))].map((animation) => {
    const of = (format: ClipFormat) =>
      counts(
        rows.filter((row) => row.animation === animation && row.format === format),
        threshold,
      )
    return { animation, zip: of('zip'), mp4: of('mp4') }
  })
}

/** Formats the report as a table. */
export function attackText(report: ReturnType<typeof attackReport>): string {
  const cell = ({ passed, decided, passedByFrames }: AttackCounts) =>
    `${passed} of ${decided} (by frames alone ${passedByFrames})`.padStart(30)
  const line = ({ animation, zip, mp4 }: (typeof report)[number]) =>
    `${animation.padEnd(40)}${cell(zip)}${cell(mp4)}${String(zip.failed + mp4.failed).padStart(13)}`
  const head = `${'passed, of decided clips'.padEnd(40)}${'ZIP of JPEGs'.padStart(30)}${'H.264'.padStart(30)}${'not decided'.padStart(13)}`
  return [head, ...report.map(line)].join('\n')
}
