/** Forms of text in which printed and machine-readable text can be compared. */

/** Letters and digits, in upper case and without accents; Cyrillic and other letters stay. */
export const foldText = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toUpperCase()

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

/** The characters that text recognition confuses with one, itself included. */
export function listConfusable(symbol: string): string[] {
  const shape = confusable[symbol] ?? symbol
  const alike = Object.keys(confusable).filter((other) => confusable[other] === shape)
  return [...new Set([symbol, shape, ...alike])]
}
