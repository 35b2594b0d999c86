/** The pages of a PDF report: a position that moves down, and a new page where there is no room. Lengths are points. */
import type { PDFImage, PDFPage, PDF as PdfDocument } from '@libpdf/core'
import type { Picture } from '../report.ts'
import { PdfFonts, type Weight } from './pdf-fonts.ts'

/** The part of the PDF library that is used. */
export type PdfLibrary = Pick<typeof import('@libpdf/core'), 'PDF' | 'PdfString' | 'ops'>

/** Font files. */
export type FontFiles = Readonly<Record<Weight, Uint8Array>>

/** A4. */
const pageWidth = 595.28
const pageHeight = 841.89
const margin = 50
const marginTop = 56
const marginBottom = 64

export const contentWidth = pageWidth - 2 * margin
export const lineHeight = (size: number): number => size * 1.4
const ascent = (size: number): number => size * 1.07

/** Red, green and blue, 0…1. */
export type Color = readonly [red: number, green: number, blue: number]

export const grey = (level: number): Color => [level, level, level]

/** A colour by its channels, 0…255. */
export const color = (red: number, green: number, blue: number): Color => [red / 255, green / 255, blue / 255]

/** What is drawn on one page. It is written as one stream when the document is finished. */
interface DrawnPage {
  page: PDFPage
  operators: Parameters<PDFPage['drawOperators']>[0]
}

export interface TextStyle {
  size: number
  weight?: Weight
  color?: Color
}

/** Two lines at the bottom of each page, besides its number. */
interface Footer {
  first: string
  second: string
}

export class Sheet {
  readonly pdf: PdfDocument
  readonly fonts: PdfFonts
  readonly #library: PdfLibrary
  readonly #pages: DrawnPage[] = []
  readonly #images = new Map<Picture, PDFImage | null>()
  /** Distance from the top of the page. */
  #y = pageHeight

  constructor(library: PdfLibrary, files: FontFiles) {
    this.#library = library
    this.pdf = library.PDF.create()
    this.fonts = new PdfFonts({
      regular: this.pdf.embedFont(files.regular),
      bold: this.pdf.embedFont(files.bold),
    })
  }

  get room(): number {
    return pageHeight - marginBottom - this.#y
  }

  newPage(): void {
    this.#pages.push({ page: this.pdf.addPage({ width: pageWidth, height: pageHeight }), operators: [] })
    this.#y = marginTop
  }

  /** Begins a page unless the current one has this much room. */
  reserve(height: number): boolean {
    if (this.room >= height) return false
    this.newPage()
    return true
  }

  skip(height: number): void {
    this.#y += height
  }

  /** Writes one line at the current height. @param x distance from the left margin */
  write(text: string, x: number, style: TextStyle, below = 0): void {
    const y = pageHeight - this.#y - below - ascent(style.size)
    this.#writeAt(this.#pages.at(-1)!, text, margin + x, y, style)
  }

  #writeAt(
    { page, operators }: DrawnPage,
    text: string,
    x: number,
    y: number,
    { size, weight = 'regular', color: [red, green, blue] = grey(0.1) }: TextStyle,
  ): void {
    if (text === '') return
    const { ops, PdfString } = this.#library
    const font = this.fonts.font(weight)
    const glyphs = Uint8Array.from(font.encodeTextToGids(text).flatMap((glyph) => [glyph >> 8, glyph & 0xff]))
    operators.push(
      ops.setNonStrokingRGB(red, green, blue),
      ops.beginText(),
      ops.setFont(`/${page.registerFont(font)}`, size),
      ops.setTextMatrix(1, 0, 0, 1, round(x), round(y)),
      ops.showText(PdfString.fromBytes(glyphs)),
      ops.endText(),
    )
  }

  /** Writes text that wraps over lines and pages, and moves below it. */
  paragraph(text: string, style: TextStyle): void {
    for (const line of this.fonts.wrap(text, style.weight ?? 'regular', style.size, contentWidth)) {
      this.reserve(lineHeight(style.size))
      this.write(line, 0, style)
      this.skip(lineHeight(style.size))
    }
  }

  rectangle(x: number, width: number, height: number, filled: Color): void {
    this.#rectangleAt(this.#pages.at(-1)!, x, pageHeight - this.#y - height, width, height, filled)
  }

  /** A line over the width of the content. */
  rule(filled: Color, thickness: number): void {
    this.rectangle(0, contentWidth, thickness, filled)
  }

  #rectangleAt(
    { operators }: DrawnPage,
    x: number,
    y: number,
    width: number,
    height: number,
    [red, green, blue]: Color,
  ): void {
    const { ops } = this.#library
    operators.push(
      ops.setNonStrokingRGB(red, green, blue),
      ops.rectangle(round(margin + x), round(y), round(width), round(height)),
      ops.fill(),
    )
  }

  /** The embedded picture; `null` if it cannot be read. */
  embed(picture: Picture): PDFImage | null {
    const known = this.#images.get(picture)
    if (known !== undefined) return known
    let image: PDFImage | null = null
    try {
      image = this.pdf.embedImage(picture.bytes)
    } catch {
      // A damaged picture is shown as missing.
    }
    this.#images.set(picture, image)
    return image
  }

  picture(image: PDFImage, x: number, width: number, height: number): void {
    const { ops } = this.#library
    const { page, operators } = this.#pages.at(-1)!
    const y = pageHeight - this.#y - height
    operators.push(
      ops.pushGraphicsState(),
      ops.concatMatrix(round(width), 0, 0, round(height), round(margin + x), round(y)),
      ops.paintXObject(`/${page.registerImage(image)}`),
      ops.popGraphicsState(),
    )
  }

  /** Writes the footers, now that the number of pages is known, and all pages. */
  finish({ first, second }: Footer): void {
    const style = { size: 7.5, color: grey(0.4) }
    const y = marginBottom - 22
    for (const [index, drawn] of this.#pages.entries()) {
      const number = `Page ${index + 1} of ${this.#pages.length}`
      const end = margin + contentWidth - this.fonts.width(number, 'regular', style.size)
      this.#rectangleAt(drawn, 0, y + 12, contentWidth, 0.5, grey(0.75))
      this.#writeAt(drawn, first, margin, y, style)
      this.#writeAt(drawn, second, margin, y - 11, style)
      this.#writeAt(drawn, number, end, y, style)
      drawn.page.drawOperators(drawn.operators)
    }
  }
}

/** A hundredth of a point is finer than any printer. */
const round = (points: number): number => Math.round(points * 100) / 100
