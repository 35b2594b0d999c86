/** The fonts of PDF reports: which text they can show, how wide it is, and how it is broken into lines. */
import type { EmbeddedFont } from '@libpdf/core'

/** Stands for every character that the fonts do not have. */
const replacement = '\ufffd'

/** The fonts also have scripts whose letters must be joined or reordered, which is not done here. */
const shownScripts =
  /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}\p{Script=Inherited}]$/u
const unseen = /\p{C}/u
const softHyphen = /\u00ad/g

export type Weight = 'regular' | 'bold'

/** Width units of one em. */
const em = 1000

class Face {
  readonly font: EmbeddedFont
  readonly #widths = new Map<string, number>()

  constructor(font: EmbeddedFont) {
    this.font = font
  }

  has(character: string): boolean {
    return this.font.codePointToGid(character.codePointAt(0)!) !== 0
  }

  width(text: string, size: number): number {
    let sum = 0
    for (const character of text) {
      let width = this.#widths.get(character)
      if (width === undefined) {
        width = this.font.getWidth(character.codePointAt(0)!)
        this.#widths.set(character, width)
      }
      sum += width
    }
    return (sum * size) / em
  }
}

export class PdfFonts {
  readonly #faces: Readonly<Record<Weight, Face>>
  /** Whether a character had to be replaced. */
  hasReplaced = false

  constructor(fonts: Readonly<Record<Weight, EmbeddedFont>>) {
    this.#faces = { regular: new Face(fonts.regular), bold: new Face(fonts.bold) }
  }

  font(weight: Weight): EmbeddedFont {
    return this.#faces[weight].font
  }

  /** The text as the fonts can show it. */
  clean(text: string): string {
    const composed = text
      .normalize('NFC')
      .replace(/\r\n?|[\u2028\u2029]/g, '\n')
      .replaceAll('\t', ' ')
      .replace(softHyphen, '')
    let cleaned = ''
    for (const character of composed) cleaned += this.#canShow(character) ? character : this.#replace()
    return cleaned
  }

  #canShow(character: string): boolean {
    if (character === '\n') return true
    if (unseen.test(character) || !shownScripts.test(character)) return false
    return this.#faces.regular.has(character) && this.#faces.bold.has(character)
  }

  #replace(): string {
    this.hasReplaced = true
    return replacement
  }

  width(text: string, weight: Weight, size: number): number {
    return this.#faces[weight].width(text, size)
  }

  /** Breaks text into lines of at most `widthMax` points, at spaces where it can, else within words. */
  wrap(text: string, weight: Weight, size: number, widthMax: number): string[] {
    return this.clean(text)
      .split('\n')
      .flatMap((paragraph) => this.#wrapParagraph(paragraph, weight, size, widthMax))
  }

  #wrapParagraph(text: string, weight: Weight, size: number, widthMax: number): string[] {
    const space = this.width(' ', weight, size)
    const lines: string[] = []
    let line = ''
    let lineWidth = 0
    for (const word of text.split(' ')) {
      for (const part of this.#breakWord(word, weight, size, widthMax)) {
        const partWidth = this.width(part.text, weight, size)
        const gap = line === '' || part.isContinued ? 0 : space
        if (line !== '' && (part.isContinued || lineWidth + gap + partWidth > widthMax)) {
          lines.push(line)
          line = part.text
          lineWidth = partWidth
        } else {
          line += (gap > 0 ? ' ' : '') + part.text
          lineWidth += gap + partWidth
        }
      }
    }
    return [...lines, line]
  }

  /** A word that is wider than a line in parts; all but the first are continued on a new line. */
  #breakWord(word: string, weight: Weight, size: number, widthMax: number) {
    const parts: { text: string; isContinued: boolean }[] = []
    if (this.width(word, weight, size) <= widthMax) return [{ text: word, isContinued: false }]
    let text = ''
    let width = 0
    for (const character of word) {
      const added = this.width(character, weight, size)
      if (text !== '' && width + added > widthMax) {
        parts.push({ text, isContinued: parts.length > 0 })
        text = ''
        width = 0
      }
      text += character
      width += added
    }
    return [...parts, { text, isContinued: parts.length > 0 }]
  }
}
