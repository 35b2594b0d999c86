/** Writes a report as PDF. */
import type { NamedValue, Report, ReportMedium } from '../report.ts'
import {
  type Color,
  color,
  contentWidth,
  type FontFiles,
  grey,
  lineHeight,
  type PdfLibrary,
  Sheet,
} from './pdf-sheet.ts'
import { Table } from './pdf-table.ts'

/** What a PDF is written with. */
export interface PdfTools {
  library: PdfLibrary
  fonts: FontFiles
}

/** Sides of pictures, at most. */
const pictureWidth = 150
const pictureHeight = 170
const pictureGap = 14

const accent = color(35, 64, 95)
const verdictColors: Readonly<Record<string, Color>> = {
  SUCCESS: color(30, 122, 70),
  DECLINED: color(179, 38, 30),
  FAILED: color(179, 38, 30),
}
const openColor = color(138, 109, 29)

/** A colour mixed with much white. */
const tint = ([red, green, blue]: Color): Color => [0.9 + red * 0.1, 0.9 + green * 0.1, 0.9 + blue * 0.1]

class ReportWriter {
  readonly #sheet: Sheet
  readonly #report: Report

  constructor(tools: PdfTools, report: Report) {
    this.#sheet = new Sheet(tools.library, tools.fonts)
    this.#report = report
  }

  write(): Promise<Uint8Array> {
    const { report, folder, service } = this.#report
    const sheet = this.#sheet
    sheet.newPage()
    this.#writeHead()
    this.#writeFields()
    this.#writeAnalyses()
    this.#writeMedia()
    this.#writeDecisions()
    this.#writeModels()
    if (sheet.fonts.hasReplaced) this.#writeReplacementNote()
    sheet.finish({
      first: `Folder ${folder.id}`,
      second: `Report ${report.id} · generated ${report.timeCreated} by Vivace ${service.version}`,
    })
    const { pdf } = sheet
    const created = new Date(report.timeCreated.replace(' UTC', 'Z').replace(' ', 'T'))
    pdf.setTitle(`Report of folder ${folder.id}`)
    pdf.setLanguage('en')
    pdf.setAuthor(folder.companyName)
    pdf.setCreator(`Vivace ${service.version}`)
    pdf.setCreationDate(created)
    pdf.setModificationDate(created)
    return pdf.save({ subsetFonts: true, compressStreams: true })
  }

  #writeHead(): void {
    const { folder } = this.#report
    const sheet = this.#sheet
    sheet.paragraph('Verification report', { size: 20, weight: 'bold', color: accent })
    if (folder.companyName !== '') sheet.paragraph(folder.companyName, { size: 11, color: grey(0.3) })
    sheet.skip(6)
    sheet.rule(accent, 2)
    sheet.skip(14)
    this.#writeVerdict()
    this.#facts([
      ['Reference', folder.reference],
      ['Folder', folder.id],
      ['Company', folder.companyId],
      ['Owner of the folder', folder.userId === '' ? '' : `user ${folder.userId}`],
      ['Folder created', folder.timeCreated],
      ['Folder changed', folder.timeUpdated],
      ['Report', this.#report.report.id],
      ['Report generated', this.#report.report.timeCreated],
      ['Template', this.#report.report.template],
    ])
  }

  #writeVerdict(): void {
    const { folder } = this.#report
    const sheet = this.#sheet
    const shade = verdictColors[folder.resolution] ?? openColor
    const height = 46
    sheet.rectangle(0, contentWidth, height, tint(shade))
    sheet.rectangle(0, 5, height, shade)
    sheet.write(folder.verdict, 18, { size: 15, weight: 'bold', color: shade }, 5)
    sheet.write(`by ${folder.decidedBy}`, 18, { size: 9 }, 27)
    sheet.skip(height + 8)
    if (folder.operatorRemark !== '')
      sheet.paragraph(`Operator: ${folder.operatorRemark}`, { size: 9.5, weight: 'bold' })
    sheet.paragraph(`The service: ${folder.systemVerdict}. ${folder.meaning}`, {
      size: 9,
    })
    sheet.skip(6)
  }

  #title(text: string): void {
    const sheet = this.#sheet
    // A title never stands alone at the end of a page.
    sheet.reserve(110)
    sheet.skip(16)
    sheet.paragraph(text, { size: 13, weight: 'bold', color: accent })
    sheet.skip(4)
  }

  #note(text: string): void {
    this.#sheet.paragraph(text, { size: 9, color: grey(0.4) })
  }

  #facts(rows: readonly (readonly [string, string])[]): void {
    const table = new Table(
      this.#sheet,
      [
        { title: '', share: 3 },
        { title: '', share: 7 },
      ],
      (_, column) => (column === 0 ? { color: grey(0.4) } : {}),
    )
    for (const row of rows) if (row[1] !== '') table.row(row)
  }

  #writeFields(): void {
    const { fields } = this.#report
    if (fields.length === 0) return
    this.#title('Chosen data')
    this.#facts(fields.map(({ name, value }) => [name, value]))
  }

  /** Values two by two. */
  #pairs(values: readonly NamedValue[]): void {
    const isName = (column: number) => column % 2 === 0
    const table = new Table(
      this.#sheet,
      [2.4, 1.6, 2.4, 1.6].map((share) => ({ title: '', share })),
      (_, column) => (isName(column) ? { color: grey(0.4) } : {}),
    )
    for (let at = 0; at < values.length; at += 2) {
      table.row(values.slice(at, at + 2).flatMap(({ name, value }) => [name, value]))
    }
  }

  #writeAnalyses(): void {
    const { analyses } = this.#report
    this.#title('Analyses')
    if (analyses.length === 0) {
      this.#note('No analysis was requested.')
      return
    }
    const table = this.#table(
      ['No.', 0.5],
      ['Type', 1.4],
      ['Result', 1.7],
      ['By', 1],
      ['Media', 0.9],
      ['Requested', 1.8],
    )
    for (const analysis of analyses) {
      const by = analysis.resolutionOperator === '' ? 'service' : 'operator'
      table.row([analysis.number, analysis.title, analysis.verdict, by, analysis.media, analysis.timeCreated])
    }
    this.#writeScores()
    this.#writeDetails()
  }

  #writeScores(): void {
    const { scores } = this.#report
    this.#title('Scores and thresholds')
    if (scores.length === 0) {
      this.#note('The analyses have no scores.')
      return
    }
    const table = this.#table(
      ...([
        ['Analysis', 1.3],
        ['Score', 2.2],
        ['Media', 0.7],
        ['Value', 0.8],
        ['Required', 1.3],
        ['Result', 0.9],
      ] as const),
    )
    for (const { analysis, title, label, media, score, required, state } of scores) {
      table.row([`${analysis}. ${title}`, label, media, score, required, state])
    }
  }

  /** What the tables of analyses have no column for. */
  #writeDetails(): void {
    const rows = this.#report.analyses.flatMap(
      ({ number, title, id, error, reasons, resolutionComment, evidence }) => [
        [`${number}. ${title}`, 'id', id],
        ...(error === '' ? [] : [['', 'failure', error]]),
        ...reasons.map(({ value }) => ['', 'reason', value]),
        ...(resolutionComment === '' ? [] : [['', 'comment', resolutionComment]]),
        ...evidence.map(({ name, value }) => ['', name, value]),
      ],
    )
    this.#title('Details of the analyses')
    const table = this.#table(['Analysis', 1.3], ['Detail', 2], ['Value', 4])
    for (const row of rows) {
      table.row(row)
    }
  }

  #writeMedia(): void {
    const { media } = this.#report
    this.#title('Media')
    if (media.length === 0) this.#note('The folder has no media.')
    for (const medium of media) {
      this.#writeMedium(medium)
    }
  }

  #writeMedium(medium: ReportMedium): void {
    const sheet = this.#sheet
    // The title stays with the pictures below it.
    sheet.reserve(medium.pictures.length > 0 ? pictureHeight + 60 : 90)
    sheet.skip(6)
    sheet.paragraph(`Medium ${medium.number}: ${medium.kind}`, { size: 10, weight: 'bold' })
    sheet.skip(2)
    this.#writePictures(medium)
    this.#facts([
      ['id', medium.id],
      ['file name', medium.name],
      ['tags', medium.tags],
      ['file', `${medium.type}, ${medium.dimensions}, ${medium.size}`],
      ['MD5', medium.md5],
      ['received', medium.timeCreated],
    ])
    this.#pairs(medium.evidence)
    sheet.skip(6)
  }

  /** Pictures side by side, each with its caption below. */
  #writePictures({ pictures }: ReportMedium): void {
    const sheet = this.#sheet
    const perLine = Math.floor((contentWidth + pictureGap) / (pictureWidth + pictureGap))
    const captionStyle = { size: 8, color: grey(0.4) }
    for (let start = 0; start < pictures.length; start += perLine) {
      const line = pictures.slice(start, start + perLine).map(({ caption, image }) => {
        const embedded = image && sheet.embed(image)
        const scale = embedded ? Math.min(pictureWidth / embedded.width, pictureHeight / embedded.height) : 0
        return {
          embedded,
          width: embedded ? embedded.width * scale : pictureWidth,
          height: embedded ? embedded.height * scale : 40,
          caption: sheet.fonts.wrap(caption, 'regular', captionStyle.size, pictureWidth),
        }
      })
      const height = Math.max(...line.map((item) => item.height))
      const captions = Math.max(...line.map(({ caption }) => caption.length)) * lineHeight(captionStyle.size)
      sheet.reserve(height + captions + 10)
      for (const [index, { embedded, width, height: own, caption }] of line.entries()) {
        const x = index * (pictureWidth + pictureGap)
        if (embedded) sheet.picture(embedded, x, width, own)
        else {
          sheet.rectangle(x, width, own, grey(0.93))
          sheet.write('This picture is not available', x + 8, { size: 8, color: grey(0.4) }, 14)
        }
        for (const [row, text] of caption.entries())
          sheet.write(text, x, captionStyle, height + 3 + row * lineHeight(captionStyle.size))
      }
      sheet.skip(height + captions + 10)
    }
  }

  #writeDecisions(): void {
    this.#title('Trail of decisions')
    const table = this.#table(['Time', 2.2], ['Who', 4], ['What', 2.2], ['Comment', 1.6])
    for (const { time, who, what, comment } of this.#report.decisions) {
      table.row([time, who, what, comment])
    }
  }

  #writeModels(): void {
    const { models } = this.#report
    this.#title('Models')
    if (models.length === 0) {
      this.#note('No network was used.')
      return
    }
    const table = this.#table(['Analyses', 1], ['Profile', 1], ['Assurance', 1], ['Networks', 4])
    for (const { analyses, profile, assurance, networks } of models) {
      table.row([analyses, profile, assurance, networks])
    }
  }

  #writeReplacementNote(): void {
    this.#sheet.skip(14)
    this.#note(
      `The sign ${'\ufffd'} stands for a character that the fonts of this document do not have. The HTML form of the report has all characters.`,
    )
  }

  #table(...columns: readonly (readonly [title: string, share: number])[]): Table {
    return new Table(
      this.#sheet,
      columns.map(([title, share]) => ({ title, share })),
    )
  }
}

/** Writes a report as PDF. */
export type WritePdf = (report: Report) => Promise<Uint8Array>

/** Writes a report as PDF, with the embedded part of the fonts that it uses. It takes tens of milliseconds at a stretch. */
export const renderPdf = (tools: PdfTools, report: Report): Promise<Uint8Array> =>
  new ReportWriter(tools, report).write()
