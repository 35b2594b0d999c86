/** The part of a section that shows why it was found. */

interface Part {
  text: string
  isMatch: boolean
}

const lengthMax = 140
/** Characters before the first match. */
const before = 40

const wordPattern = /[\p{L}\p{N}_]+/gu

/**
 * @param terms stems of the words that were found
 */
export function excerptOf(text: string, terms: readonly string[]): Part[] {
  const matches = [...text.matchAll(wordPattern)].filter(([word]) =>
    terms.some((term) => word.toLowerCase().startsWith(term)),
  )
  const first = matches[0]?.index ?? 0
  // From the beginning of a word on.
  const from = first <= before ? 0 : text.indexOf(' ', first - before) + 1
  const cut = text.slice(from, from + lengthMax)
  const to = from + (text.length - from > lengthMax ? Math.max(cut.lastIndexOf(' '), 1) : cut.length)
  const parts: Part[] = []
  let at = from
  for (const { index, 0: word } of matches) {
    if (index < at || index + word.length > to) continue
    parts.push({ text: text.slice(at, index), isMatch: false }, { text: word, isMatch: true })
    at = index + word.length
  }
  parts.push({ text: text.slice(at, to), isMatch: false })
  if (from > 0) parts.unshift({ text: '… ', isMatch: false })
  if (to < text.length) parts.push({ text: ' …', isMatch: false })
  return parts.filter((part) => part.text !== '')
}
