/** Which name a label means: many languages have one word for the given names and for the whole name. */
import { foldText } from './fold.ts'
import type { LabelName } from './label-texts.ts'
import { distanceFrom, type Piece, type PlacedLabel } from './layout.ts'

/** Words that mean a part of the name beside a label of the other part, and the whole name without one. */
const openWords: ReadonlySet<string> = new Set(
  ('Ime; Naam; Name; Names; Namn; Navn; Nimi; Nom; Nombre; Nome; Nume; Vardas; Vards; Име; Имя' as const)
    .split(';')
    .map(foldText),
)

const parts = ['surname', 'given_names'] as const
export type NamePart = (typeof parts)[number]

/** Labels of further names, and the part that they belong to: pages print them apart from the first ones. */
export const laterParts = { second_surname: 'surname', middle_names: 'given_names' } as const

export type LaterPart = keyof typeof laterParts

export const isLaterPart = (name: LabelName): name is LaterPart => name in laterParts

const partOf = ({ name }: PlacedLabel): NamePart | null => {
  if (isLaterPart(name)) return laterParts[name]
  return parts.includes(name as NamePart) ? (name as NamePart) : null
}
const isOpen = ({ folded }: PlacedLabel): boolean => openWords.has(folded)
const isAddition = ({ link }: PlacedLabel): boolean => link === 'addition'
const isNeighbour = ({ link }: PlacedLabel): boolean => link === 'neighbour'

const findNearest = (label: PlacedLabel, values: readonly Piece[]): Piece | undefined =>
  values
    .map((piece) => ({ piece, distance: distanceFrom(label, piece) ?? Infinity }))
    .filter(({ distance }) => distance < Infinity)
    .sort((a, b) => a.distance - b.distance)[0]?.piece

/** Whether two neighbours belong together: those of columns have values of their own. */
function belongTogether(a: PlacedLabel, b: PlacedLabel, values: readonly Piece[]): boolean {
  if (!partOf(a) || !partOf(b)) return false
  const [first, second] = [findNearest(a, values), findNearest(b, values)]
  return b.inline !== null || !first || !second || first === second
}

/** The labels of one value: in several languages, or of all parts of a name. */
function groupLabels(labels: readonly PlacedLabel[], values: readonly Piece[]): PlacedLabel[][] {
  const groups: PlacedLabel[][] = []
  for (const label of labels) {
    const before = groups.at(-1)?.at(-1)
    const isNext = label.link !== null && before !== undefined
    if (isNext && (!isNeighbour(label) || belongTogether(before, label, values))) groups.at(-1)!.push(label)
    else groups.push([label])
  }
  return groups
}

const partsOf = (labels: readonly PlacedLabel[]): Set<NamePart> =>
  new Set(labels.filter((label) => !isOpen(label)).flatMap((label) => partOf(label) ?? []))

/** The only part that labels of first names name. */
function onlyPartOf(group: readonly PlacedLabel[]): NamePart | null {
  const own = partsOf(group.filter(({ name }) => !isLaterPart(name)))
  return own.size === 1 ? [...own][0]! : null
}

/** The part that labels name beyond doubt. */
function certainPartOf(group: readonly PlacedLabel[]): NamePart | null {
  const isJoined = group.some((label) => isAddition(label) || isNeighbour(label))
  return isJoined && group.some(isOpen) ? null : onlyPartOf(group)
}

interface Elsewhere {
  /** Parts that other groups name beyond doubt. */
  readonly certain: ReadonlySet<NamePart>
  /** Those that are the only ones of another group, also beside a word that may mean the whole. */
  readonly possible: ReadonlySet<NamePart>
}

/** The part that a group of labels means on a page that names some parts elsewhere; `null` for what each of them says. */
function resolve(group: readonly PlacedLabel[], { certain, possible }: Elsewhere) {
  const own = partsOf(group)
  const [part] = own
  if (own.size > 1 || (group.some(isAddition) && group.some(isOpen))) return 'full_name'
  if (part) {
    // A blank may stand for "and", too. The whole name agrees with a zone in any order, and where a part is all that was read.
    const isMixed = group.some(isNeighbour) ? group.some(isOpen) : new Set(group.map(partOf)).size > 1
    return isMixed && !possible.has(part === 'surname' ? 'given_names' : 'surname') ? 'full_name' : part
  }
  if (certain.size === 2) return group.every(({ isOfHolder }) => isOfHolder) ? 'full_name' : null
  if (certain.size === 0) return 'full_name'
  return certain.has('surname') ? 'given_names' : 'surname'
}

/**
 * Resolves the labels of names by the other labels of the page.
 * @param values texts without labels
 */
export function resolveNameLabels(labels: readonly PlacedLabel[], values: readonly Piece[]): PlacedLabel[] {
  const groups = groupLabels(labels, values).map((group) => ({ group, names: group.filter(partOf) }))
  return groups.flatMap(({ group, names }) => {
    const others = groups.filter((other) => other.group !== group)
    const certain = new Set(others.flatMap((other) => certainPartOf(other.names) ?? []))
    const possible = new Set(others.flatMap((other) => onlyPartOf(other.names) ?? []))
    const isFirst = names.some((label) => !isLaterPart(label.name))
    const name = isFirst ? resolve(names, { certain, possible }) : null
    return group.map((label) => (name !== null && partOf(label) ? { ...label, name } : label))
  })
}

export const isNameLabel = (label: PlacedLabel): boolean =>
  label.name === 'full_name' || partOf(label) !== null

/** Whether a text is printed in capitals: text recognition takes some of them for small letters. */
const isCapital = (text: string): boolean =>
  text.replaceAll(/\P{Lu}/gu, '').length >= text.replaceAll(/\P{Ll}/gu, '').length

/** Words without capitals: no name is printed so, unless a colon says that it is one. */
const isAllSmall = (text: string): boolean => /\p{Ll}/u.test(text) && !/\p{Lu}/u.test(text)

/**
 * Whether the text behind a label of a name is a value, or more of the label. It may be more of it if it is printed like the label.
 * @param below a text that may be the name instead
 */
export function judgeInline(
  label: PlacedLabel,
  text: string,
  below: string | undefined,
): { readonly isValue: boolean; readonly isSure: boolean } {
  if (/^\s*:/.test(text)) return { isValue: true, isSure: true }
  const isAlike = isCapital(text) === isCapital(label.text)
  const goesOn = /^\s*[,&+]/.test(text)
  // A colon that was read as a comma is followed by the name.
  const isListed = goesOn && (isAddition(label) || below !== undefined)
  if (isAllSmall(text) || isListed) return { isValue: false, isSure: true }
  if (below === undefined) return { isValue: true, isSure: !(goesOn && isAlike) }
  if (!isAlike || /^\s*\p{P}/u.test(text)) return { isValue: true, isSure: true }
  return { isValue: isCapital(text) || !isCapital(below), isSure: false }
}
