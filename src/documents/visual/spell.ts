/** Whether a printed name is the one of a machine-readable zone, which writes all letters as A to Z. */
import { listConfusable } from './fold.ts'

/**
 * What zones make of letters: ICAO Doc 9303-3, section 6; for Cyrillic also forms of older passports, such as those of GOST R 52535.1,
 * and for Greek those of ELOT 743. Letters that Unicode decomposes may lose their marks besides.
 */
const transliterations: Readonly<Record<string, string>> = {
  ...{ Ä: 'AE', Å: 'AA', Æ: 'AE', Ð: 'D', Đ: 'D', Ə: 'E', Ħ: 'H', ı: 'I', Ĳ: 'IJ', Ł: 'L', Ñ: 'NXX', Ŋ: 'N' },
  ...{ Ö: 'OE', Ø: 'OE O', Œ: 'OE', ĸ: 'Q', ß: 'SS', ẞ: 'SS', Ŧ: 'T', Þ: 'TH', Ü: 'UE UXX', Ƶ: 'Z' },
  ...{ А: 'A', Б: 'B', В: 'V', Г: 'G H', Ґ: 'G', Д: 'D', Ђ: 'D DJ', Ѓ: 'G GJ', Е: 'E YE IE', Є: 'IE YE E' },
  ...{ Ё: 'E IO YO YE', Ж: 'ZH Z', З: 'Z', Ѕ: 'DZ', И: 'I Y', І: 'I', Ї: 'I YI', Й: 'I Y -', Ј: 'J', К: 'K' },
  ...{ Ќ: 'K KJ', Л: 'L', Љ: 'LJ', М: 'M', Н: 'N', Њ: 'NJ', О: 'O', П: 'P', Р: 'R', С: 'S', Т: 'T', Ћ: 'C' },
  ...{ У: 'U', Ў: 'U', Ф: 'F', Х: 'KH H', Ц: 'TS C TC', Ч: 'CH C', Џ: 'DZ DJ', Ш: 'SH S', Щ: 'SHCH SHT' },
  ...{ Ъ: 'IE A -', Ы: 'Y', Ь: '- Y', Э: 'E', Ю: 'IU YU', Я: 'IA YA', Ә: 'A', Ғ: 'G', Қ: 'K Q', Ң: 'N' },
  ...{ Ө: 'O', Ұ: 'U', Ү: 'U', Һ: 'H' },
  ...{ Α: 'A', Β: 'V', Γ: 'G N', Δ: 'D', Ε: 'E', Ζ: 'Z', Η: 'I', Θ: 'TH', Ι: 'I', Κ: 'K', Λ: 'L', Μ: 'M' },
  ...{
    Ν: 'N',
    Ξ: 'X',
    Ο: 'O',
    Π: 'P',
    Ρ: 'R',
    Σ: 'S',
    Τ: 'T',
    Υ: 'Y U V F',
    Φ: 'F',
    Χ: 'CH H',
    Ψ: 'PS',
    Ω: 'O',
  },
}

/** What else zones may have where text recognition has lost the marks of a letter, or taken it for one without. */
const unmarked: Readonly<Record<string, string>> = {
  ...{ A: 'AE AA', B: 'SS', E: 'AE', N: 'NXX', O: 'OE', P: 'TH', S: 'SS', U: 'UE UXX', Β: 'SS B' },
}

/** `-` stands for no letter. */
const listForms = (forms: string | undefined): string[] =>
  forms?.split(' ').map((form) => (form === '-' ? '' : form)) ?? []

/** What zones make of a letter, apart from the letter itself. */
export const listTransliterations = (letter: string): string[] => listForms(transliterations[letter])

/** A name in the letters of zones. */
export const toLatin = (name: string): string =>
  [...name].map((letter) => listTransliterations(letter)[0] ?? letter).join('')

const isLetter = (symbol: string): boolean => /[\p{L}\p{N}]/u.test(symbol)

/** The letters of a printed text, each with the forms that it may have in a zone. */
export type Spelling = readonly (readonly string[])[]

/** The forms that the text has if it was read right. */
export function spell(text: string): Spelling {
  const letters = [...text.normalize('NFC').toUpperCase()].filter(isLetter)
  return letters.map((letter) => {
    const plain = letter.normalize('NFD').replaceAll(/\p{M}/gu, '')
    const own = listTransliterations(letter)
    const forms = [...own, ...(own.length > 0 ? [] : listTransliterations(plain))]
    return [...new Set([...forms, ...(/^[A-Z0-9]+$/.test(plain) || forms.length === 0 ? [plain] : [])])]
  })
}

/** The forms that the text has if characters that look alike were confused, or marks were lost. */
export const spellLoosely = (text: string): Spelling => {
  const letters = spell(text)
  return letters.map((forms, place) => [
    ...forms,
    ...forms.flatMap((form) => [...listConfusable(form), ...listForms(unmarked[form])]),
    // The page may have the two letters where the zone has one.
    ...(forms.includes('E') && letters[place - 1]?.some((before) => /^[AOU]$/.test(before)) ? [''] : []),
  ])
}

/** The places in a text that a spelling beginning at a place may reach, and whether the text may end before it does. */
export function follow(
  spelling: Spelling,
  text: string,
  start: number,
): { ends: ReadonlySet<number>; isCut: boolean } {
  let ends = new Set([start])
  let isCut = false
  for (const forms of spelling) {
    const next = new Set<number>()
    for (const end of ends) {
      if (end === text.length) isCut = true
      for (const form of forms) if (text.startsWith(form, end)) next.add(end + form.length)
    }
    ends = next
  }
  return { ends, isCut }
}
