/** Counts the effects of edits of photos. */
import { groupBy } from '../group-by.ts'

/** Result of one edit of one photo. */
export interface EditRow {
  name: string
  /** `people`, or the PAI species. */
  group: string
  bonaFide: boolean
  /** `null` for the original photo. */
  edit: string | null
  isBorder: boolean
  /** `null` if no face was found. */
  score: number | null
}

/** Counts of one edit among the photos that were decided both before and after it. */
interface EditCounts {
  edit: string
  decided: number
  passedBefore: number
  passed: number
  notDecided: number
}

/** Attacks that are declined without edits and pass after any of the edits. */
interface Switched {
  declined: number
  afterAny: number
  afterBorders: number
  afterOthers: number
}

export interface EditGroup {
  group: string
  bonaFide: boolean
  edits: EditCounts[]
  /** `null` for people. */
  switched: Switched | null
}

export function editReport(rows: readonly EditRow[], threshold: number): EditGroup[] {
  const passes = ({ score }: EditRow) => score !== null && score < threshold
  return [...groupBy(rows, ({ group }) => group)].map(([group, all]) => {
    const before = new Map(
      all.flatMap((row) => (row.edit === null && row.score !== null ? [[row.name, passes(row)]] : [])),
    )
    const edited = all.filter((row) => row.edit !== null && before.has(row.name))
    const declined = new Set([...before].filter(([, passed]) => !passed).map(([name]) => name))
    const after = (test: (row: EditRow) => boolean) =>
      new Set(
        edited.filter((row) => declined.has(row.name) && passes(row) && test(row)).map(({ name }) => name),
      ).size
    const { bonaFide } = all[0]!
    return {
      group,
      bonaFide,
      edits: [...groupBy(edited, ({ edit }) => edit!)].map(([edit, of]) => {
        const decided = of.filter(({ score }) => score !== null)
        return {
          edit,
          decided: decided.length,
          passedBefore: decided.filter(({ name }) => before.get(name)).length,
          passed: decided.filter(passes).length,
          notDecided: of.length - decided.length,
        }
      }),
      switched: bonaFide
        ? null
        : {
            declined: declined.size,
            afterAny: after(() => true),
            afterBorders: after(({ isBorder }) => isBorder),
            afterOthers: after(({ isBorder }) => !isBorder),
          },
    }
  })
}

function groupText({ group, edits, switched }: EditGroup): string {
  const line = ({ edit, decided, passedBefore, passed, notDecided }: EditCounts) => {
    const points = decided === 0 ? '' : `${Math.round(((passed - passedBefore) / decided) * 100)}`
    return `${edit.padEnd(52)}${`${passedBefore} → ${passed} of ${decided}`.padStart(20)}${points.padStart(8)}${String(notDecided).padStart(9)}`
  }
  const head = `${`${group}: passed`.padEnd(52)}${'as is → edited'.padStart(20)}${'points'.padStart(8)}${'no face'.padStart(9)}`
  const sum =
    switched &&
    `of ${switched.declined} declined: ${switched.afterAny} pass after an edit (borders ${switched.afterBorders}, others ${switched.afterOthers})`
  return [head, ...edits.map(line), ...(sum ? [sum] : [])].join('\n')
}

/** Formats the report as tables. */
export const editText = (report: readonly EditGroup[]): string => report.map(groupText).join('\n\n')
