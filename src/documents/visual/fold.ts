/** Forms of text in which printed and machine-readable text can be compared. */

/** Letters that Unicode does not decompose, and those with several transliterations in ICAO Doc 9303-3, section 6. */
const transliterations: Readonly<Record<string, readonly string[]>> = {
  Ä: ['AE', 'A'],
  Å: ['AA', 'A'],
  Æ: ['AE'],
  Ð: ['D'],
  Đ: ['D'],
  Ħ: ['H'],
  ı: ['I'],
  İ: ['I'],
  Ł: ['L'],
  Ñ: ['N', 'NXX'],
  Ö: ['OE', 'O'],
  Ø: ['OE', 'O'],
  Œ: ['OE'],
  ß: ['SS'],
  ẞ: ['SS'],
  Þ: ['TH'],
  Ü: ['UE', 'U', 'UXX'],
  А: ['A'],
  Б: ['B'],
  В: ['V'],
  Г: ['G'],
  Д: ['D'],
  Е: ['E'],
  Ё: ['E'],
  Ж: ['ZH'],
  З: ['Z'],
  И: ['I'],
  Й: ['I'],
  К: ['K'],
  Л: ['L'],
  М: ['M'],
  Н: ['N'],
  О: ['O'],
  П: ['P'],
  Р: ['R'],
  С: ['S'],
  Т: ['T'],
  У: ['U'],
  Ф: ['F'],
  Х: ['KH'],
  Ц: ['TS', 'C'],
  Ч: ['CH'],
  Ш: ['SH'],
  Щ: ['SHCH'],
  Ъ: ['IE', ''],
  Ы: ['Y'],
  Ь: [''],
  Э: ['E'],
  Ю: ['IU', 'YU'],
  Я: ['IA', 'YA'],
}

/** More spellings of one name are not tried. */
const spellingsMax = 64

const stripMarks = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '')

/** Letters and digits, in upper case and without accents; Cyrillic and other letters stay. */
export const foldText = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toUpperCase()

/**
 * The forms that a printed name may have in a machine-readable zone: letters A to Z without spaces. The first is the usual one.
 * @returns a single form for most names
 */
export function transliterate(name: string): string[] {
  let spellings = ['']
  for (const letter of name.normalize('NFC').toUpperCase()) {
    const plain = stripMarks(letter).replaceAll(/[^A-Z]/g, '')
    const choices = transliterations[letter] ?? [plain]
    // Without accents: the reader may not know them.
    const all = choices.includes(plain) || plain === '' ? choices : [...choices, plain]
    spellings = all.flatMap((choice) => spellings.map((start) => start + choice)).slice(0, spellingsMax)
  }
  return spellings
}

/** Characters that text recognition confuses, one of each group for all. */
const confusable: Readonly<Record<string, string>> = {
  O: '0',
  Q: '0',
  D: '0',
  I: '1',
  L: '1',
  S: '5',
  B: '8',
  Z: '2',
  G: '6',
}

/** A text in which characters that look alike are the same. */
export const foldConfusable = (text: string): string =>
  [...foldText(text)].map((symbol) => confusable[symbol] ?? symbol).join('')
