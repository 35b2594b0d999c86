/** HTML in which every value is escaped unless it is markup itself. */

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => entities[sign]!)

export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export type Content = Markup | string | number | null | readonly Content[]

function textOf(content: Content): string {
  if (content === null) return ''
  if (content instanceof Markup) return content.text
  if (typeof content === 'object') return content.map(textOf).join('')
  return escapeHtml(String(content))
}

/** Template tag: `` html`<td>${name}</td>` ``. */
export const html = (parts: TemplateStringsArray, ...values: Content[]): Markup =>
  new Markup(String.raw({ raw: parts }, ...values.map(textOf)))

export interface Column {
  title: string
  /** Numbers are right-aligned. */
  isNumber?: boolean
}

/** A table that scrolls on narrow screens. The first cell of each row is its header. */
export const table = (
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly Content[])[],
): Markup => {
  const classOf = (at: number) => html`${columns[at]?.isNumber ? new Markup(' class="number"') : null}`
  return html`<div class="wide" role="region" aria-label="${caption}" tabindex="0"><table>
<caption>${caption}</caption>
<thead><tr>${columns.map(({ title }, at) => html`<th scope="col"${classOf(at)}>${title}</th>`)}</tr></thead>
<tbody>${rows.map(
    ([head = '', ...cells]) =>
      html`<tr><th scope="row"${classOf(0)}>${head}</th>${cells.map(
        (cell, at) => html`<td${classOf(at + 1)}>${cell}</td>`,
      )}</tr>\n`,
  )}</tbody></table></div>`
}
