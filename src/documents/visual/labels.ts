/** Finds the labels of fields in texts. */
import { foldText } from './fold.ts'
import { holderTexts, type LabelName, labelTexts } from './label-texts.ts'

/** The folded words of a table whose entries are separated by semicolons. */
export const foldTable = (texts: string): string[] => texts.split(';').map(foldText)

/** Letters that text recognition confuses in labels, one of each group for all. */
const lookAlikes: Readonly<Record<string, string>> = { L: 'I', '1': 'I', '0': 'O' }

/** A folded text in which letters that look alike are the same; its length stays. */
export const foldLookAlikes = (folded: string): string =>
  folded.replaceAll(/[L10]/g, (symbol) => lookAlikes[symbol]!)

/** A label as it is looked for: without spaces and accents. */
export interface Label {
  readonly folded: string
  /** With one form of letters that look alike. */
  readonly looks: string
  readonly name: LabelName
}

/** All labels, the longest first: a part of a label is no other label. */
const labels: readonly Label[] = Object.entries(labelTexts)
  .flatMap(([name, texts]) =>
    foldTable(texts).map((folded) => ({ folded, looks: foldLookAlikes(folded), name: name as LabelName })),
  )
  .filter(({ folded }, i, all) => all.findIndex((other) => other.folded === folded) === i)
  .sort((a, b) => b.folded.length - a.folded.length)

/** What may follow a label as its end. */
export const labelEnds: readonly Omit<Label, 'name'>[] = foldTable(holderTexts).map((folded) => ({
  folded,
  looks: foldLookAlikes(folded),
}))

const groupByFirst = (key: 'folded' | 'looks'): ReadonlyMap<string, readonly Label[]> => {
  const groups = new Map<string, Label[]>()
  for (const label of labels) {
    const first = label[key].charAt(0)
    groups.set(first, [...(groups.get(first) ?? []), label])
  }
  return groups
}

/** Labels by their first letter, the longest first. */
export const labelsByLetter = groupByFirst('folded')
/** Labels by their first letter in the form of letters that look alike. */
export const labelsByLook = groupByFirst('looks')

/** A label of at least so many letters may have one wrong letter, beside those that look alike. */
const tolerantLength = 8

/**
 * Whether a text nearly begins with a label, at a place.
 * @param text from `foldLookAlikes`
 */
export function nearlyBeginsWith(text: string, at: number, { looks }: Pick<Label, 'looks'>): boolean {
  let errorsLeft = 1
  if (looks.length < tolerantLength || at + looks.length > text.length) return false
  for (let i = 0; i < looks.length; i++) {
    if (text[at + i] === looks[i]) continue
    // The first letter is right: otherwise many words would be labels.
    if (i === 0 || errorsLeft === 0) return false
    errorsLeft--
  }
  return true
}
