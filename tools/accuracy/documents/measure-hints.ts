/** Measures the hints of pictures that `render-hints.py` makes: photocopies and open booklets. */
import path from 'node:path'
import { readDocument } from '../../../src/assess/assess-document.ts'
import type { AssessorDeps } from '../../../src/assess/assessor-deps.ts'
import type { Pyramid } from '../../../src/vision/pyramid.ts'
import type { CsvRow } from '../csv.ts'
import { groupBy } from '../group-by.ts'

const hintNames = ['copy', 'spread'] as const
type HintName = (typeof hintNames)[number]

/** What is said of one picture. `null`: unknown, or neither answer is right. */
interface MeasuredHint {
  file: string
  kind: string
  hint: HintName
  wanted: boolean | null
  found: boolean | null
}

type WithPicture = <T>(file: string, work: (pyramid: Pyramid) => Promise<T>) => Promise<T>

const readWanted = (cell: string | undefined): boolean | null =>
  cell === '1' ? true : cell === '0' ? false : null

/** Whether a table is of such pictures. */
export const hasHints = (rows: readonly CsvRow[]): boolean =>
  rows.some(({ cells }) => cells.spread !== undefined)

export async function measureHints(
  folder: string,
  rows: readonly CsvRow[],
  { deps, withPicture }: { deps: Pick<AssessorDeps, 'lazyEngine' | 'documents'>; withPicture: WithPicture },
): Promise<MeasuredHint[]> {
  const measured: MeasuredHint[] = []
  for (const [i, { cells }] of rows.entries()) {
    process.stderr.write(`\r${i + 1} of ${rows.length} pictures `)
    const { file = '', degradation: kind = '' } = cells
    const reading = await withPicture(path.join(folder, file), (pyramid) =>
      readDocument(deps, pyramid, { page: true }),
    )
    const found = { copy: reading.hints.isCopy, spread: reading.doublePageSpread }
    for (const hint of hintNames)
      measured.push({ file, kind, hint, wanted: readWanted(cells[hint]), found: found[hint] })
  }
  process.stderr.write('\n')
  return measured
}

/** Counts of each answer by kind of picture. */
export function hintsText(measured: readonly MeasuredHint[]): string {
  const lines: string[] = []
  for (const hint of hintNames) {
    lines.push(`${hint}: pictures, true, false, unknown, wrong`, '')
    for (const [kind, rows] of groupBy(
      measured.filter((row) => row.hint === hint),
      (row) => row.kind,
    )) {
      const count = (test: (row: MeasuredHint) => boolean) => rows.filter(test).length
      const cells = [
        rows.length,
        count(({ found }) => found === true),
        count(({ found }) => found === false),
        count(({ found }) => found === null),
        count(({ found, wanted }) => found !== null && wanted !== null && found !== wanted),
      ]
      lines.push(`${kind.padEnd(24)}${cells.map((cell) => String(cell).padStart(8)).join('')}`)
    }
    lines.push('')
  }
  return `${lines.join('\n')}\n`
}
