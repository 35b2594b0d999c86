/**
 * `node scripts/run.mjs test/reports/make.ts DIR`: writes sample reports as PDF and HTML, to be looked at, and where `pdftoppm`
 * is installed (poppler-utils), their pages as PNG.
 */
import { spawnSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { loadPdfTools } from '../../src/platform/pdf-tools.ts'
import { renderPdf } from '../../src/reports/pdf/render-pdf.ts'
import { renderHtml } from '../../src/reports/render-html.ts'
import type { Report } from '../../src/reports/report.ts'
import { shippedTemplates } from '../../src/reports/shipped-templates.ts'
import { parseTemplate } from '../../src/reports/template.ts'
import { portrait } from '../fixtures/portraits.ts'
import {
  livenessAnalysis,
  reportedFolder,
  reportedMedium,
  reportOf,
  withMetadata,
} from '../fixtures/reports.ts'

const picture = { bytes: await portrait('redhead') }
const media = Array.from({ length: 12 }, (_, index) => reportedMedium(index + 1))
const analyses = Array.from({ length: 200 }, (_, index) =>
  livenessAnalysis(index + 1, media.slice(0, 2), { attack: index / 220 }),
)
const hostile = {
  client_iin: '<script>alert(1)</script>',
  name: 'محمد 山田太郎 \u202egnp.exe 👍',
  long: 'word '.repeat(1500),
  endless: 'x'.repeat(3000),
}
const samples: Readonly<Record<string, Report>> = {
  usual: reportOf(reportedFolder(), { picture }),
  many: reportOf(reportedFolder({ media, analyses }), { picture }),
  hostile: reportOf(withMetadata(hostile), { metadataFields: Object.keys(hostile) }),
  empty: reportOf(reportedFolder({ media: [], metadata: {} }), { company: '' }),
}

const folder = process.argv[2]
if (folder === undefined) throw new Error('usage: node scripts/run.mjs test/reports/make.ts DIR')
await mkdir(folder, { recursive: true })
const tools = await loadPdfTools()
const template = parseTemplate(shippedTemplates[0].html)
for (const [name, report] of Object.entries(samples)) {
  await writeFile(`${folder}/${name}.pdf`, await renderPdf(tools, report))
  await writeFile(`${folder}/${name}.html`, [...renderHtml(template, report, 1e8)].join(''))
  spawnSync('pdftoppm', ['-r', '72', '-png', `${folder}/${name}.pdf`, `${folder}/${name}`])
}
