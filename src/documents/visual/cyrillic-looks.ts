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
const inZone = [...new Set(steps.map(({ zone }) => zone))]

/** Share of characters that may be lost, added or taken for anything else. */
const errorsMax = 0.35

/**
 * Whether a printed name is rather the Cyrillic form of the one in a zone, read as Latin letters, than another name: `CMVPHOB` is
 * `СМИРНОВ`.
 */
export function mayBeCyrillic(printed: string, zone: string): boolean {
  const text = foldText(printed)
  const wanted = foldText(zone)
  if (text.length > 2 * wanted.length) return false
  // The least number of errors with which some characters of both are explained.
  const errors = Array.from({ length: text.length + 1 }, () =>
    new Array<number>(wanted.length + 1).fill(Number.POSITIVE_INFINITY),
  )
  errors[0]![0] = 0
  for (let at = 0; at <= text.length; at++)
    for (let place = 0; place <= wanted.length; place++) {
      const here = errors[at]![place]!
      const reach = (length: number, added: string, cost: number) => {
        const row = errors[at + length]
        if (row && wanted.startsWith(added, place))
          row[place + added.length] = Math.min(row[place + added.length]!, here + cost)
      }
      for (const step of steps)
        if (text.startsWith(step.printed, at)) reach(step.printed.length, step.zone, 0)
      const isLatin = /[A-Z0-9]/.test(text[at] ?? '')
      for (const added of inZone) if (added !== '') reach(1, added, isLatin ? 1 : 0)
      reach(1, '', 1)
      for (const added of inZone) if (added !== '') reach(0, added, 1)
    }
  return errors[text.length]![wanted.length]! <= errorsMax * Math.min(text.length, wanted.length)
}

/** Letters that no Cyrillic one is taken for. */
const latinOnly = /[GZS]/

/** Whether a text may be Cyrillic print as a whole. */
export const mayBeCyrillicText = (printed: string): boolean => !latinOnly.test(foldText(printed))
