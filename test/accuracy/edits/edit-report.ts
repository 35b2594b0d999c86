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
  /** Among those that were declined before. */
  passedOfDeclined: number
  notDecided: number
}

/** Attacks that are declined without edits and pass after any of the edits. */
interface Switched {
  declined: number
  /** After the same edit: the largest number of all edits, and that edit; `null` if none lets any pass. */
  afterOne: { edit: string; passed: number } | null
  /** After at least one of the edits. */
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
    const edits = [...groupBy(edited, ({ edit }) => edit!)].map(([edit, of]) => {
      const decided = of.filter(({ score }) => score !== null)
      return {
        edit,
        decided: decided.length,
        passedBefore: decided.filter(({ name }) => before.get(name)).length,
        passed: decided.filter(passes).length,
        passedOfDeclined: decided.filter((row) => declined.has(row.name) && passes(row)).length,
        notDecided: of.length - decided.length,
      }
    })
    const worst = edits.reduce<EditCounts | null>(
      (most, one) => (one.passedOfDeclined > (most?.passedOfDeclined ?? 0) ? one : most),
      null,
    )
    return {
      group,
      bonaFide,
      edits,
      switched: bonaFide
        ? null
        : {
            declined: declined.size,
            afterOne: worst && { edit: worst.edit, passed: worst.passedOfDeclined },
            afterAny: after(() => true),
            afterBorders: after(({ isBorder }) => isBorder),
            afterOthers: after(({ isBorder }) => !isBorder),
          },
    }
  })
}

function groupText({ group, edits, switched }: EditGroup): string {
  const line = ({ edit, decided, passedBefore, passed, passedOfDeclined, notDecided }: EditCounts) => {
    const declined = switched ? ` ${passedOfDeclined} of ${decided - passedBefore} |` : ''
    return `| ${edit} | ${passedBefore} of ${decided} | ${passed} of ${decided} |${declined} ${notDecided} |`
  }
  const [column, rule] = switched ? [' declined ones that pass |', ' --- |'] : ['', '']
  const sum =
    switched &&
    [
      `Of ${switched.declined} declined photos (${group})`,
      switched.afterOne
        ? ` at most ${switched.afterOne.passed} pass after one and the same edit (${switched.afterOne.edit}),`
        : ' none passes after one and the same edit,',
      ` and ${switched.afterAny} after at least one of the ${edits.length} edits`,
      ` (borders ${switched.afterBorders}, others ${switched.afterOthers}).`,
    ].join('')
  return [
    `| ${group} | passed as they are | edited |${column} no face |`,
    `| --- | --- | --- |${rule} --- |`,
    ...edits.map(line),
    ...(sum ? ['', sum] : []),
  ].join('\n')
}

/** Formats the report as Markdown tables. */
export const editText = (report: readonly EditGroup[]): string => report.map(groupText).join('\n\n')
