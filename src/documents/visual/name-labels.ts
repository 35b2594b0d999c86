/** Which name a label means: many languages have one word for the given names and for the whole name. */
import { foldText } from './fold.ts'
import type { PlacedLabel } from './layout.ts'

/** Words that mean a part of the name beside a label of the other part, and the whole name without one. */
const openWords: ReadonlySet<string> = new Set(
  ('Ime; Naam; Name; Names; Namn; Navn; Nimi; Nom; Nombre; Nome; Nume; Vardas; Vards; Име; Имя' as const)
    .split(';')
    .map(foldText),
)

const parts = ['surname', 'given_names'] as const
type NamePart = (typeof parts)[number]

const isPart = ({ name }: PlacedLabel): boolean => parts.includes(name as NamePart)
const isOpen = ({ folded }: PlacedLabel): boolean => openWords.has(folded)

/** The labels of one value: in several languages, or of all parts of a name. */
function groupLabels(labels: readonly PlacedLabel[]): PlacedLabel[][] {
  const groups: PlacedLabel[][] = []
  for (const label of labels) {
    if (label.link === null || groups.length === 0) groups.push([label])
    else groups.at(-1)!.push(label)
  }
  return groups
}

const partsOf = (labels: readonly PlacedLabel[]): Set<NamePart> =>
  new Set(labels.filter((label) => isPart(label) && !isOpen(label)).map(({ name }) => name as NamePart))

/** The part that a group of labels means on a page that names some parts elsewhere; `null` for what each of them says. */
function resolve(group: readonly PlacedLabel[], elsewhere: ReadonlySet<NamePart>) {
  const own = partsOf(group)
  if (own.size > 1 || group.some(({ link }) => link === 'addition')) return 'full_name'
  if (own.size === 1) return [...own][0]!
  if (elsewhere.size === 2) return null
  if (elsewhere.size === 0) return 'full_name'
  return elsewhere.has('surname') ? 'given_names' : 'surname'
}

/** Resolves the labels of names by the other labels of the page. */
export function resolveNameLabels(labels: readonly PlacedLabel[]): PlacedLabel[] {
  const groups = groupLabels(labels).map((group) => ({ group, names: group.filter(isPart) }))
  return groups.flatMap(({ group, names }) => {
    const others = groups.flatMap((other) => (other.group === group ? [] : other.names))
    const name = names.length > 0 ? resolve(names, partsOf(others)) : null
    return group.map((label) => (name !== null && isPart(label) ? { ...label, name } : label))
  })
}
