/** The text about printed fields of `npm run accuracy -- documents`. */
import { groupBy } from '../group-by.ts'
import type { MeasuredField, MeasuredPage } from './measure-fields.ts'
import { median, percent } from './numbers.ts'

const isAgreeing = ({ outcome }: MeasuredField): boolean => outcome === 'same' || outcome === 'likely'

function describe(pages: readonly MeasuredPage[]): string {
  const fields = pages.flatMap((page) => page.fields)
  const count = (wanted: MeasuredField['outcome']) =>
    fields.filter(({ outcome }) => outcome === wanted).length
  return (
    `${percent(fields.filter(isAgreeing).length, fields.length)} of ${fields.length} fields agree, ` +
    `${count('different')} differ, ${count('missing')} are missing, ${count('unknown')} have several meanings; ` +
    `median of a whole page ${Math.round(median(pages.map(({ ms }) => ms)))} ms`
  )
}

/** Page by page. */
export function fieldsText(pages: readonly MeasuredPage[]): string {
  const lines = ['Fields of the printed page', '']
  for (const { file, ms, lines: count, fields } of pages) {
    const right = fields.filter(isAgreeing).length
    lines.push(`${file}: ${right} of ${fields.length} fields agree, ${count} lines, ${Math.round(ms)} ms`)
    for (const { name, truth, printed, outcome } of fields)
      if (outcome !== 'same') lines.push(`  ${name} ${outcome}: ${printed ?? '-'} instead of ${truth}`)
  }
  lines.push('', `All: ${describe(pages)}`, '')
  return `${lines.join('\n')}\n`
}

/** Rendered pages by kind of degradation. */
export function renderedFieldsText(pages: readonly (MeasuredPage & { degradation: string })[]): string {
  const lines = ['Fields of the printed page, by degradation', '']
  for (const [degradation, rows] of groupBy(pages, (page) => page.degradation))
    lines.push(`${degradation.padEnd(16)}${describe(rows)}`)
  for (const [name, rows] of groupBy(
    pages.flatMap((page) => page.fields),
    (field) => field.name,
  ))
    lines.push(`${name.padEnd(16)}${percent(rows.filter(isAgreeing).length, rows.length)} of ${rows.length}`)
  lines.push('', `All: ${describe(pages)}`, '')
  return `${lines.join('\n')}\n`
}
