/**
 * Names of internal passports of Russia, whose zones have one letter or digit for each Cyrillic letter: rules for the zone in order 773
 * of the Ministry of the Interior of Russia of 16 November 2020.
 */

const cyrillic: Readonly<Record<string, string>> = {
  ...{
    A: 'А',
    B: 'Б',
    C: 'Ц',
    D: 'Д',
    E: 'Е',
    F: 'Ф',
    G: 'Г',
    H: 'Х',
    I: 'И',
    J: 'Ж',
    K: 'К',
    L: 'Л',
    M: 'М',
  },
  ...{
    N: 'Н',
    O: 'О',
    P: 'П',
    Q: 'Й',
    R: 'Р',
    S: 'С',
    T: 'Т',
    U: 'У',
    V: 'В',
    W: 'Щ',
    X: 'Ъ',
    Y: 'Ы',
    Z: 'З',
  },
  ...{ 2: 'Ё', 3: 'Ч', 4: 'Ш', 6: 'Э', 7: 'Ю', 8: 'Я', 9: 'Ь' },
}

/** The symbols of these names. */
export const russianSymbols = Object.keys(cyrillic).join('')

/** A name in Cyrillic letters. */
export const toCyrillic = (name: string): string =>
  [...name].map((symbol) => cyrillic[symbol] ?? symbol).join('')
