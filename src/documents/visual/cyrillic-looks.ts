/** Cyrillic print that text recognition has read as Latin letters and digits, since it knows no others. */
import { foldText } from './fold.ts'
import { listTransliterations } from './spell.ts'

/** What Cyrillic capitals, and small letters of the same form, are taken for. */
const looks: Readonly<Record<string, string>> = {
  ...{ А: 'A', Б: '6 5 B E', В: 'B 8', Г: 'T R F L I', Ґ: 'T R', Д: 'D A 4 H I', Е: 'E', Ё: 'E', Є: 'E C' },
  ...{ Ж: 'K X XK M H', З: '3 S 8', И: 'N M H U V', І: 'I 1 L', Ї: 'I 1 L', Й: 'N M H U V Y', К: 'K' },
  ...{ Л: 'N J I A R JI JL', М: 'M', Н: 'H', О: 'O 0 Q', П: 'N I II H HI R U', Р: 'P', С: 'C', Т: 'T I' },
  ...{
    У: 'Y',
    Ф: 'O 0 D Q P',
    Х: 'X',
    Ц: 'U L LL II I H',
    Ч: '4 Y H U',
    Ш: 'W III M U LL IH',
    Щ: 'W LLL M U IL',
  },
  ...{
    Ъ: 'B 6 L',
    Ы: 'BI BL LI 61 B1 H M',
    Ь: 'B 6 L',
    Э: '3 9 E S',
    Ю: 'IO 10 I0 O LO HO 1O',
    Я: 'R 9 A 8',
  },
}

interface Step {
  readonly printed: string
  readonly zone: string
}

/** What a letter adds to the printed text as it was read, and to the zone. */
const steps: readonly Step[] = Object.entries(looks).flatMap(([letter, forms]) =>
  forms.split(' ').flatMap((printed) => listTransliterations(letter).map((zone) => ({ printed, zone }))),
)
/** What letters add to the zone. */
const inZone = [...new Set(steps.map(({ zone }) => zone))].filter((zone) => zone !== '')

/** Share of characters that may be lost, added or taken for anything else. */
const errorsMax = 0.35

/** The least number of characters to be added, left out or replaced that makes one text of another. */
function countEdits(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, place) => place)
  for (let at = 0; at < one.length; at++) {
    const next = [at + 1]
    for (let place = 0; place < other.length; place++) {
      const replaced = row[place]! + (one[at] === other[place] ? 0 : 1)
      next.push(Math.min(replaced, row[place + 1]! + 1, next[place]! + 1))
    }
    row = next
  }
  return row[other.length]!
}

/** The least number of errors with which a text is the Cyrillic form of a name in a zone, both folded. */
function countErrors(text: string, wanted: string): number {
  const here = Array.from(wanted, (_, place) => ({
    steps: steps.filter(({ zone: added }) => wanted.startsWith(added, place)),
    lengths: [
      ...new Set(inZone.filter((added) => wanted.startsWith(added, place)).map(({ length }) => length)),
    ],
  }))
  here.push({ steps: steps.filter(({ zone: added }) => added === ''), lengths: [] })
  // For some first characters of both.
  const errors = Array.from({ length: text.length + 1 }, () =>
    new Array<number>(wanted.length + 1).fill(Number.POSITIVE_INFINITY),
  )
  errors[0]![0] = 0
  for (let at = 0; at <= text.length; at++) {
    const isLatin = /[A-Z0-9]/.test(text[at] ?? '')
    for (let place = 0; place <= wanted.length; place++) {
      const known = errors[at]![place]!
      const reach = (read: number, added: number, cost: number) => {
        const row = errors[at + read]
        if (row) row[place + added] = Math.min(row[place + added]!, known + cost)
      }
      for (const { printed: look, zone: added } of here[place]!.steps)
        if (text.startsWith(look, at)) reach(look.length, added.length, 0)
      reach(1, 0, 1)
      for (const length of here[place]!.lengths) {
        reach(1, length, isLatin ? 1 : 0)
        reach(0, length, 1)
      }
    }
  }
  return errors[text.length]![wanted.length]!
}

/**
 * Whether a printed name is rather the Cyrillic form of the one in a zone, read as Latin letters, than another name in these:
 * `CMVPHOB` is `СМИРНОВ`, but `TAMILA` is not `ТАМАРА`.
 */
export function mayBeCyrillic(printed: string, zone: string): boolean {
  const text = foldText(printed)
  const wanted = foldText(zone)
  if (text.length > 1.5 * wanted.length) return false
  const errors = countErrors(text, wanted)
  return errors <= errorsMax * Math.min(text.length, wanted.length) && errors < countEdits(text, wanted)
}

/** Letters that no Cyrillic one is taken for. */
const latinOnly = /[GZS]/

/** Whether a text may be Cyrillic print as a whole. */
export const mayBeCyrillicText = (printed: string): boolean => !latinOnly.test(foldText(printed))
