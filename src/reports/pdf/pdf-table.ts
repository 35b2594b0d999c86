/** Tables of PDF reports. The head is repeated on each page; a row that is higher than the room left is continued there. */
import { color, contentWidth, grey, lineHeight, type Sheet, type TextStyle } from './pdf-sheet.ts'

interface Column {
  title: string
  /** Share of the table's width. */
  share: number
}

const size = 8.5
const padding = 4
const leading = lineHeight(size)
/** Rows up to this height stay together. */
const keptTogether = 260

interface Cell {
  lines: readonly string[]
  style: TextStyle
}

/** The style of the text of a cell. */
type CellStyle = (row: readonly string[], column: number) => Partial<TextStyle>

export class Table {
  readonly #sheet: Sheet
  readonly #columns: readonly { title: string; x: number; width: number }[]
  readonly #style: CellStyle
  readonly #hasHead: boolean

  constructor(sheet: Sheet, columns: readonly Column[], style: CellStyle = () => ({})) {
    this.#sheet = sheet
    this.#style = style
    const sum = columns.reduce((total, { share }) => total + share, 0)
    let left = 0
    this.#columns = columns.map(({ title, share }) => {
      const column = { title, x: left, width: (contentWidth * share) / sum }
      left += column.width
      return column
    })
    this.#hasHead = columns.some(({ title }) => title !== '')
    if (this.#hasHead) {
      sheet.reserve(3 * (leading + 2 * padding))
      this.#head()
    }
  }

  row(texts: readonly string[]): void {
    const cells = this.#columns.map(({ width }, index): Cell => {
      const style: TextStyle = { size, ...this.#style(texts, index) }
      const text = texts[index] ?? ''
      return {
        style,
        lines: this.#sheet.fonts.wrap(text, style.weight ?? 'regular', size, width - 2 * padding),
      }
    })
    const count = Math.max(...cells.map(({ lines }) => lines.length))
    this.#lines(cells, count)
    this.#sheet.rule(grey(0.85), 0.5)
  }

  #lines(cells: readonly Cell[], count: number): void {
    const sheet = this.#sheet
    const height = count * leading + 2 * padding
    if (height <= keptTogether) this.#reserve(height)
    for (let from = 0; from < count; ) {
      this.#reserve(Math.min(3, count - from) * leading + 2 * padding)
      const fitting = Math.floor((sheet.room - 2 * padding) / leading)
      const to = Math.min(count, from + fitting)
      for (const [index, { lines, style }] of cells.entries()) {
        const { x } = this.#columns[index]!
        for (let line = from; line < to; line++)
          sheet.write(lines[line] ?? '', x + padding, style, padding + (line - from) * leading)
      }
      sheet.skip((to - from) * leading + 2 * padding)
      from = to
    }
  }

  #reserve(height: number): void {
    if (this.#sheet.reserve(height) && this.#hasHead) this.#head()
  }

  #head(): void {
    const sheet = this.#sheet
    const cells = this.#columns.map(({ title, width }) =>
      sheet.fonts.wrap(title, 'bold', size, width - 2 * padding),
    )
    const count = Math.max(...cells.map((lines) => lines.length))
    const height = count * leading + 2 * padding
    sheet.rectangle(0, contentWidth, height, color(238, 241, 245))
    for (const [index, lines] of cells.entries())
      for (const [line, text] of lines.entries())
        sheet.write(
          text,
          this.#columns[index]!.x + padding,
          { size, weight: 'bold' },
          padding + line * leading,
        )
    sheet.skip(height)
  }
}
