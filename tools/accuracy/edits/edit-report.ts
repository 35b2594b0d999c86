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
  /** The edit that makes the same picture without the border; `null` for other edits. */
  without: string | null
  /** `null` without a verdict: no face was found, or a second one as large. */
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
  /** For a border: how many of the photos that were decided with and without it pass. `null` for other edits. */
  border: { decided: number; passedWithout: number; passed: number; passedOfDeclined: number } | null
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

interface EditGroup {
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
    const byEdit = groupBy(edited, ({ edit }) => edit!)
    const countBorder = (of: readonly EditRow[]): EditCounts['border'] => {
      const plain = new Map(
        (byEdit.get(of[0]!.without ?? '') ?? []).flatMap((row) =>
          row.score === null ? [] : [[row.name, passes(row)]],
        ),
      )
      const both = of.filter(({ name, score }) => score !== null && plain.has(name))
      if (both.length === 0) return null
      return {
        decided: both.length,
        passedWithout: both.filter(({ name }) => plain.get(name)).length,
        passed: both.filter(passes).length,
        passedOfDeclined: both.filter((row) => passes(row) && !plain.get(row.name)).length,
      }
    }
    const edits = [...byEdit].map(([edit, of]) => {
      const decided = of.filter(({ score }) => score !== null)
      return {
        edit,
        decided: decided.length,
        passedBefore: decided.filter(({ name }) => before.get(name)).length,
        passed: decided.filter(passes).length,
        passedOfDeclined: decided.filter((row) => declined.has(row.name) && passes(row)).length,
        notDecided: of.length - decided.length,
        border: countBorder(of),
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

/** How much borders change the number of photos that pass: all together, and the one that changes it most. */
function borderText(edits: readonly EditCounts[]): string | null {
  const borders = edits.flatMap(({ edit, border }) => (border ? [{ edit, ...border }] : []))
  if (borders.length === 0) return null
  const sum = (count: (border: (typeof borders)[number]) => number) =>
    borders.reduce((total, border) => total + count(border), 0)
  const share = ({ decided, passed, passedWithout }: (typeof borders)[number]) =>
    Math.abs(passed - passedWithout) / decided
  // Shares of a few photos tell nothing.
  const mostDecided = Math.max(...borders.map(({ decided }) => decided))
  const most = borders
    .filter(({ decided }) => decided >= mostDecided / 2)
    .reduce((worst, border) => (share(border) > share(worst) ? border : worst))
  return [
    `With a border ${sum(({ passed }) => passed)} of ${sum(({ decided }) => decided)} pass, and`,
    ` ${sum(({ passedWithout }) => passedWithout)} of the same pictures without it;`,
    ` ${sum(({ passedOfDeclined }) => passedOfDeclined)} pass only with it. The largest change is`,
    ` ${most.passed - most.passedWithout} of ${most.decided} (${most.edit}).`,
  ].join('')
}

function groupText({ group, edits, switched }: EditGroup): string {
  const line = ({
    edit,
    decided,
    passedBefore,
    passed,
    passedOfDeclined,
    notDecided,
    border,
  }: EditCounts) => {
    const without = border ? `${border.passedWithout} of ${border.decided}` : '–'
    const onlyWith = border ? `${border.passedOfDeclined}` : '–'
    const declined = switched ? ` ${passedOfDeclined} of ${decided - passedBefore} |` : ''
    return `| ${edit} | ${passedBefore} of ${decided} | ${without} | ${onlyWith} | ${passed} of ${decided} |${declined} ${notDecided} |`
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
    `| ${group} | passed as they are | passed without the border | only with it | edited |${column} no verdict |`,
    `| --- | --- | --- | --- | --- |${rule} --- |`,
    ...edits.map(line),
    ...[borderText(edits), sum].flatMap((text) => (text ? ['', text] : [])),
  ].join('\n')
}

/** Formats the report as Markdown tables. */
export const editText = (report: readonly EditGroup[]): string => report.map(groupText).join('\n\n')
