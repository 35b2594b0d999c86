/** What the words of a page tell about its kind. */
import type { DocumentKind, VisualZone } from './field.ts'
import { foldText } from './fold.ts'
import { kindTitles } from './kind-titles.ts'
import { foldLookAlikes, foldTable } from './labels.ts'

const fold = (text: string): string => foldLookAlikes(foldText(text))

const kindWords = Object.entries(kindTitles).map(
  ([kind, titles]) => [kind as DocumentKind, foldTable(titles).map(foldLookAlikes)] as const,
)

const titles = new Set(kindWords.flatMap(([, names]) => names))

/** Whether a text is a title and nothing else. */
export const isTitle = (text: string): boolean => titles.has(fold(text))

/** Words as short as this tell the kind only if they stand alone, and have other meanings: that of a card, or of a ticket. */
const shortWord = 5
/** A Chinese character is a word by itself. */
const isShort = (name: string): boolean => name.length <= shortWord && !/\p{Script=Han}/u.test(name)

/** What the words of a page tell about its kind; `null` if nothing. */
export function findKind(texts: readonly string[]): Pick<VisualZone, 'kind' | 'isNamed'> {
  const folded = texts.map(fold)
  const words = new Set(texts.flatMap((text) => text.split(/[^\p{L}\p{N}]+/u)).map(fold))
  const found = kindWords.flatMap(([kind, names]) =>
    names
      .filter((name) => words.has(name) || (!isShort(name) && folded.some((text) => text.includes(name))))
      .map((name) => ({ kind, name })),
  )
  return { kind: found[0]?.kind ?? null, isNamed: found.some(({ name }) => !isShort(name)) }
}
