import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { suggestName } from '../../../src/contract/unknown-name.ts'
import { AppError } from '../../../src/errors.ts'
import { type Fields, placeholdersIn, reportFields } from '../../../src/reports/fields.ts'
import { escapeHtml, renderHtml } from '../../../src/reports/render-html.ts'
import type { Report } from '../../../src/reports/report.ts'
import { shippedTemplates } from '../../../src/reports/shipped-templates.ts'
import { parseTemplate } from '../../../src/reports/template.ts'
import { livenessAnalysis, reportedFolder, reportedMedium, reportOf } from '../../fixtures/reports.ts'

const render = (html: string, report: Report = reportOf(reportedFolder()), lengthMax = 1e6): string => {
  const text = [...renderHtml(parseTemplate(html, suggestName), report, lengthMax)].join('')
  return text.split('\n').slice(3).join('\n')
}

function refusal(html: string): string {
  try {
    parseTemplate(html, suggestName)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    expect(error.code).toBe('value_invalid')
    return error.message
  }
  return 'accepted'
}

describe('report templates', () => {
  it('show values, repeat parts for lists, and show parts if there is something or nothing', () => {
    expect(render('<p>{{folder.id}}</p>')).toBe('<p>4d1f6c8e-5f0b-4c43-9d6e-8b1a2c3d4e5f</p>')
    expect(render('{{#analyses}}{{number}}:{{type}} {{/analyses}}')).toBe('1:QUALITY 2:BIOMETRY ')
    expect(render('{{#analyses}}{{#scores}}{{analysis}}={{score}};{{/scores}}{{/analyses}}')).toBe(
      '1=0.0312;1=0.0312;2=0.7231;',
    )
    expect(render('{{#attachments}}with{{/attachments}}{{^attachments}}without{{/attachments}}')).toBe('with')
    expect(render('{{^fields}}none{{/fields}}', reportOf(reportedFolder({ metadata: {} })))).toBe('none')
    // An item of a list sees what is around it.
    expect(render('{{#media}}{{folder.system_resolution}}{{number}} {{/media}}')).toBe(
      'OPERATOR_REQUIRED1 OPERATOR_REQUIRED2 ',
    )
  })

  it('name unknown placeholders, and the one that was probably meant', () => {
    expect(refusal('<p>\n{{folder.idd}}</p>')).toBe(
      'html, line 2: Unknown placeholder {{folder.idd}}; did you mean {{folder.id}}?',
    )
    expect(refusal('{{#analyses}}{{typ}}{{/analyses}}')).toContain('did you mean {{type}}?')
    expect(refusal('{{anything_at_all}}')).toContain('known here: report.id, report.file_name')
    expect(refusal('{{constructor}}')).toContain('Unknown placeholder {{constructor}}')
    expect(refusal('{{folder.companyid}}')).toContain('did you mean {{folder.company_id}}?')
    // `number` is a field of analyses and media only.
    expect(refusal('{{number}}')).toContain('Unknown placeholder')
  })

  it.each([
    ['{{{folder.id}}}', 'A placeholder has the form'],
    ['{{> other}}', 'A placeholder has the form'],
    ['{{analyses}}', 'is no text'],
    ['{{folder}}', 'is no text'],
    ['{{#analyses}}', 'is not closed'],
    ['{{/analyses}}', 'closes no section'],
    ['{{#analyses}}{{/media}}', 'closes {{#analyses}}'],
    ['{{#fields}}'.repeat(7), 'nested deeper'],
    ['<script>alert(1)</script>', 'script is not allowed'],
    ['<SCRIPT src="https://a.test/a.js">', 'script is not allowed'],
    ['<iframe></iframe>', 'iframe is not allowed'],
    ['<svg onload="a()">', 'svg is not allowed'],
    ['<link rel="stylesheet" href="https://a.test/a.css">', 'link is not allowed'],
    ['<a href="https://a.test">', 'a is not allowed'],
    ['<meta http-equiv="refresh" content="0;url=https://a.test">', 'http-equiv of meta is not allowed'],
    ['<img src="{{#media}}{{/media}}">', 'src of img'],
    ['<img src="https://a.test/a.png">', 'loads nothing'],
    ['<img src="{{folder.id}}">', 'is no picture'],
    ['<p src="data:image/png;base64,AAAA">', 'Only img has src'],
    ['<p onclick="a()">', 'onclick of p is not allowed'],
    ['<p class={{folder.id}}>', 'wrong form'],
    ['<p class=a>', 'wrong form'],
    ['<p {{folder.id}}>', 'wrong form'],
    ['<{{folder.id}}>', 'begins no element'],
    ['<p id="{{folder.id}}">', 'holds no placeholders'],
    ['<p style="color: {{folder.id}}">', 'holds no placeholders'],
    ['<p title="{{#fields}}">', 'no sections'],
    ['<style>{{folder.id}}</style>', 'no placeholders'],
    ['<style>@import "a.css";</style>', 'load nothing'],
    ['<style>p { background: URL (//a.test/a.png) }</style>', 'load nothing'],
    ['<p style="background: url(https://a.test/a.png)">', 'load nothing'],
    ['<style>p {}', 'style is not closed'],
    ['<style>p {} <b></style>', 'no elements'],
    ['<style>p {} </styles>', 'no elements'],
    ['<style>p { background: u\\72l(//a.test/a.png) }</style>', 'no \\ and no &'],
    ['<p style="background: u\\72l(//a.test/a.png)">', 'no \\ and no &'],
    ['<p style="background: u&#114;l(//a.test/a.png)">', 'no \\ and no &'],
    ['<style>p { background: image-set("//a.test/a.png" 1x) }</style>', 'load nothing'],
    ['<title>a', 'title is not closed'],
    ['<title><b title="</title>"></b></title>', 'title holds only text'],
    ['<title>a</titles>', 'title holds only text'],
    ['<title>{{#fields}}</title>{{/fields}}', 'title holds only text'],
    ['<title><!-- a --></title>', 'title holds only text'],
    ['<title>{{analyses}}</title>', 'is no text'],
    ['1 < 2', 'Write &lt;'],
    ['<!-- open', 'Write &lt;'],
    ['<p', 'wrong form'],
  ])('refuse %s', (html, why) => {
    expect(refusal(html)).toContain(why)
  })

  it('have placeholders that are all described in the documents', async () => {
    const text = await readFile('docs/reports.md', 'utf8')
    const described = new Set(
      [...text.matchAll(/`(?:\{\{#)?([a-z0-9_.]+)(?:\}\})?`/g)].map(([, name]) => name!),
    )
    const within = (fields: Fields): string[] => [
      ...placeholdersIn(fields),
      ...Object.values(fields).flatMap((field) =>
        typeof field === 'object' && 'list' in field ? within(field.list) : [],
      ),
    ]
    expect(within(reportFields as unknown as Fields).filter((name) => !described.has(name))).toEqual([])
  })

  it('keep plain documents as they are, without comments', () => {
    const html =
      '<!doctype html>\n<html lang="en"><head><style>p { color: red } /* { */</style></head><body><!-- {{nothing}} <p --><p class="a" aria-label=\'say "a"\' hidden2/></body></html>'
    expect(refusal(html)).toContain('hidden2')
    expect(render(html.replace(' hidden2', ''))).toBe(
      '<html lang="en"><head><style>p { color: red } /* { */</style></head><body><p class="a" aria-label="say &quot;a&quot;"></body></html>',
    )
    expect(render('a {b} c > d &amp; {')).toBe('a {b} c > d &amp; {')
  })

  it('have titles of text, and attributes without < and >', () => {
    expect(render('<TITLE>a {b} {{folder.user_id}}</title>')).toMatch(/^<TITLE>a \{b\} [^<{]+<\/title>$/)
    expect(render('<p title="</title><b>{{folder.system_resolution}}<i>" lang="<">')).toBe(
      '<p title="&lt;/title&gt;&lt;b&gt;OPERATOR_REQUIRED&lt;i&gt;" lang="&lt;">',
    )
  })

  it('are read in a time in proportion to their length', () => {
    const html = '<style></style>'.repeat(12_000)
    const began = process.cpuUsage()
    expect(render(html)).toBe(html)
    expect(refusal(`{{${' '.repeat(2 ** 18)}`)).toContain('A placeholder has the form')
    expect(process.cpuUsage(began).user).toBeLessThan(1_000_000)
  })

  it('have at most 25000 pieces of markup', () => {
    expect(refusal('<p lang="">'.repeat(12_501))).toContain('more than 25000 elements, attributes')
    expect(refusal('<p>'.repeat(25_001))).toContain('more than 25000 elements, attributes')
    expect(render('<p>'.repeat(25_000))).toHaveLength(75_000)
  })

  it('begin with a policy that forbids scripts and addresses', () => {
    const text = [...renderHtml(parseTemplate('<p>a</p>'), reportOf(reportedFolder()), 1e6)].join('')
    expect(text).toMatch(
      /^<!doctype html>\n<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:;/,
    )
  })

  it('show pictures as data, and whether one is missing', () => {
    const html =
      '{{#media}}{{#pictures}}{{#image}}<img src="{{image}}" alt="{{caption}}">{{/image}}{{^image}}no{{/image}}{{/pictures}}{{/media}}'
    const folder = reportedFolder({ media: [reportedMedium(1, 'a"b')] })
    expect(render(html, reportOf(folder, { picture: { bytes: Uint8Array.of(1, 2, 3) } }))).toBe(
      '<img src="data:image/jpeg;base64,AQID" alt="Medium a&quot;b: best shot">',
    )
    expect(render(html, reportOf(folder, { picture: null }))).toBe('no')
    expect(render(html, reportOf(folder, { attachments: false }))).toBe('')
    expect(render('<p class="a {{folder.system_resolution}}">')).toBe('<p class="a OPERATOR_REQUIRED">')
  })

  it('escape every value, and isolate text of another direction', () => {
    expect(escapeHtml(`<script>"&'`)).toBe('&lt;script&gt;&quot;&amp;&#39;')
    expect(escapeHtml('山田太郎 Ωμέγα')).toBe('山田太郎 Ωμέγα')
    expect(escapeHtml('محمد')).toBe('\u2068محمد\u2069')
    expect(escapeHtml('\u202egnp.exe')).toBe('\u2068\u202egnp.exe\u2069')
    expect(escapeHtml('a\u0000b\u001bc\r\nd\te\u007f')).toBe('a␀b␛c\nd\te␡')
    const folder = reportedFolder({ metadata: { client_iin: '<script>alert(1)</script>{{folder.id}}' } })
    for (const { html } of shippedTemplates) {
      const text = render(html, reportOf(folder))
      expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;{{folder.id}}')
      expect(text).not.toContain('<script')
    }
  })

  it('are bounded in their length, repetitions and parts', () => {
    const media = [1, 2].map((number) => reportedMedium(number))
    const analyses = Array.from({ length: 200 }, (_, index) => livenessAnalysis(index + 1, media))
    const report = reportOf(reportedFolder({ media, analyses }))
    const all = render(shippedTemplates[0].html, report)
    expect(all.split('<h3>').length - 1).toBe(202)
    const code = (html: string, lengthMax?: number) => {
      try {
        render(html, report, lengthMax)
      } catch (error) {
        return (error as AppError).code
      }
      return 'rendered'
    }
    expect(code('{{#analyses}}{{id}}{{/analyses}}', 500)).toBe('not_allowed')
    expect(code(`${'{{#analyses}}'.repeat(3)}${'{{/analyses}}'.repeat(3)}`)).toBe('not_allowed')
    // Values that are empty add no length.
    const nested = (count: number) =>
      `${'{{#analyses}}'.repeat(2)}${'{{resolution_operator}}'.repeat(count)}${'{{/analyses}}'.repeat(2)}`
    expect(code(nested(5))).toBe('rendered')
    expect(code(nested(60))).toBe('not_allowed')
    expect(refusal('{{folder.id}} '.repeat(5000))).toContain('more than 5000 parts')
  })
})
