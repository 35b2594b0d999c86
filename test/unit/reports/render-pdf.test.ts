import { PDF } from '@libpdf/core'
import { describe, expect, it } from 'vitest'
import { loadPdfTools } from '../../../src/platform/pdf-tools.ts'
import { PdfFonts } from '../../../src/reports/pdf/pdf-fonts.ts'
import { renderPdf } from '../../../src/reports/pdf/render-pdf.ts'
import type { Report } from '../../../src/reports/report.ts'
import { testCodecs } from '../../fixtures/codecs.ts'
import { ramp } from '../../fixtures/pictures.ts'
import { livenessAnalysis, reportedFolder, reportedMedium, reportOf } from '../../fixtures/reports.ts'

const tools = await loadPdfTools()
const picture = { bytes: await testCodecs.encodeJpeg({ image: ramp(300, 400), quality: 90 }) }

interface Read {
  bytes: Uint8Array
  pages: number
  /** Lines of text of each page. */
  lines: { text: string; left: number; right: number; top: number; bottom: number }[][]
  text: string
}

async function read(report: Report): Promise<Read> {
  const bytes = await renderPdf(tools, report)
  const pdf = await PDF.load(bytes)
  const pages = pdf.getPages()
  const lines = pages.map((page) =>
    page.extractText().lines.flatMap(({ spans }) =>
      spans.map(({ text, bbox: { x, y, width, height } }) => ({
        ...{ text, left: x, right: x + width, bottom: y, top: y + height },
      })),
    ),
  )
  const text = pages.map((page) => page.extractText().text).join('\n')
  return { bytes, pages: pages.length, lines, text }
}

describe('PDF reports', () => {
  it('show the folder, its verdict, scores against thresholds, decisions, networks and page numbers', async () => {
    const { text, pages } = await read(reportOf(reportedFolder(), { picture }))
    for (const words of [
      'Verification report',
      'Örnek Bank — Банк Пример',
      'Accepted',
      'by user 6f1d9c44',
      'The service: To be decided.',
      'Attack score',
      'The faces are neither clearly alike nor clearly different.',
      '4d1f6c8e-5f0b-4c43-9d6e-8b1a2c3d4e5f',
      '870421 300 123',
      'below 0.5',
      'at least 0.85',
      'паспорт-Ωμέγα.jpg',
      'Compared with the passport by hand',
      'faceplugin-feature',
      'generated 2026-11-22 20:49:33 UTC by Vivace 1.0.0',
      `Page 1 of ${pages}`,
      `Page ${pages} of ${pages}`,
    ])
      expect([words, text.includes(words)]).toEqual([words, true])
    expect(text).not.toMatch(/\ufffd|QUALITY|BIOMETRY|OPERATOR_REQUIRED|confidence_/)
  })

  it('show pictures once each, and say if one is missing or damaged', async () => {
    const images = ({ bytes }: Read) => Buffer.from(bytes).toString('latin1').split('/DCTDecode').length - 1
    const shown = await read(reportOf(reportedFolder(), { picture }))
    expect(images(shown)).toBe(1)
    expect(shown.text).not.toContain('not available')
    for (const missing of [null, { bytes: Uint8Array.of(0xff, 0xd8, 1) }]) {
      const without = await read(reportOf(reportedFolder(), { picture: missing }))
      expect([images(without), without.text.includes('This picture is not available')]).toEqual([0, true])
    }
    const plain = await read(reportOf(reportedFolder(), { picture, attachments: false }))
    expect([images(plain), plain.text.includes('best shot')]).toEqual([0, false])
  })

  it('replace what the fonts do not have, visibly, and say so', async () => {
    const metadata = { client_iin: 'Нет Ω é ﬁ ẞ', name: 'محمد 山田 \u202Egnp 👍 हिन्दी', tags: '<b>&amp;' }
    const fields = ['client_iin', 'name', 'tags']
    const { text } = await read(reportOf(reportedFolder({ metadata }), { metadataFields: fields }))
    expect(text).toContain('Нет Ω é')
    expect(text).toContain('<b>&amp;')
    expect(text).toContain('���� �� �gnp �')
    expect(text).toContain('The sign � stands for a character')
  })

  it('break long texts and long words over lines and pages, inside the margins', async () => {
    const metadata = { long: 'word '.repeat(2000), endless: `${'x'.repeat(4000)}end`, lines: 'a\nb\r\nc' }
    const report = reportOf(reportedFolder({ metadata }), {
      metadataFields: ['long', 'endless', 'lines'],
      picture,
    })
    const { lines, text, pages } = await read(report)
    expect(pages).toBeGreaterThan(4)
    expect(text.match(/\bword\b/g)).toHaveLength(2000)
    expect(text.replaceAll(/\s/g, '')).toContain('xxxend')
    for (const { left, right, top, bottom } of lines.flat()) {
      expect(left).toBeGreaterThan(49)
      expect(right).toBeLessThan(547)
      expect(bottom).toBeGreaterThan(20)
      expect(top).toBeLessThan(800)
    }
  })

  it('show 200 analyses without overlap, each table with its head on every page', async () => {
    const media = Array.from({ length: 12 }, (_, index) => reportedMedium(index + 1))
    const analyses = Array.from({ length: 200 }, (_, index) =>
      livenessAnalysis(index + 1, media.slice(0, 2), { attack: index / 220 }),
    )
    const { lines, text, pages, bytes } = await read(
      reportOf(reportedFolder({ media, analyses }), { picture }),
    )
    for (const { id } of analyses) expect([id, text.includes(id)]).toEqual([id, true])
    expect(text.split('Requested').length).toBeGreaterThan(5)
    expect(bytes.length).toBeLessThan(400_000)
    expect(pages).toBeGreaterThan(20)
    for (const page of lines)
      for (const [index, a] of page.entries())
        for (const b of page.slice(index + 1)) {
          const width = Math.min(a.right, b.right) - Math.max(a.left, b.left)
          const height = Math.min(a.top, b.top) - Math.max(a.bottom, b.bottom)
          expect(width > 1 && height > 3 ? [a.text, b.text] : null).toBeNull()
        }
  })

  it('show a folder with nothing in it', async () => {
    const folder = reportedFolder({
      media: [],
      analyses: [],
      metadata: {},
      companyId: null,
      userId: null,
      result: { resolutionStatus: 'INITIAL', systemResolution: 'INITIAL' },
    })
    const { text, pages } = await read(reportOf(folder, { company: '' }))
    expect(text).toContain('No analysis was requested.')
    expect(text).toContain('The folder has no media.')
    expect(pages).toBeLessThan(3)
  })

  it('are the same bytes for the same report', async () => {
    const hash = async () => Buffer.from(await renderPdf(tools, reportOf(reportedFolder()))).length
    expect(await hash()).toBe(await hash())
  })
})

describe('fonts of PDF reports', () => {
  const pdf = PDF.create()
  const fonts = () =>
    new PdfFonts({ regular: pdf.embedFont(tools.fonts.regular), bold: pdf.embedFont(tools.fonts.bold) })

  it('have all letters of Latin, Greek and Cyrillic languages', () => {
    const own = fonts()
    const text = 'ÀÆÇÐŁŐŘŞŻħıŉŋœſ ΆΈΏΐΰϊώ ЁЂЇЎЏҐҒҚҢҮҰҺӘӨ’“”–…€№ ạảấềểỗộứỳỵ'
    expect(own.clean(text)).toBe(text)
    expect(own.hasReplaced).toBe(false)
    expect(own.clean('e\u0301 so\u00adft\tx\u2028y')).toBe('é soft x\ny')
  })

  it('wrap at spaces, keep several spaces, and break words that are too long', () => {
    const own = fonts()
    expect(own.wrap('one two', 'regular', 10, 30)).toEqual(['one', 'two'])
    expect(own.wrap('', 'regular', 10, 30)).toEqual([''])
    for (const line of own.wrap(`a ${'m'.repeat(50)} b`, 'regular', 10, 60))
      expect(own.width(line, 'regular', 10)).toBeLessThanOrEqual(60)
    expect(
      own
        .wrap(`a ${'m'.repeat(50)} b`, 'regular', 10, 60)
        .join('')
        .replaceAll(' ', ''),
    ).toBe(`a${'m'.repeat(50)}b`)
  })
})
