/**
 * Templates: a strict subset of HTML with placeholders. `{{name}}` shows a text, `{{#name}}…{{/name}}` repeats its content for
 * each item of a list, or shows it if there is a text, `{{^name}}…{{/name}}` shows it if there is none.
 *
 * What a browser reads is what was checked here: elements and attributes come from a list, values of attributes are quoted, and
 * values from a report are always escaped.
 */
import { AppError } from '../errors.ts'
import { type Fields, findField, placeholdersIn, reportFields, toPath } from './fields.ts'

export type TemplateNode =
  | { kind: 'markup'; text: string }
  | { kind: 'value' | 'image'; path: readonly string[] }
  | { kind: 'section'; path: readonly string[]; isInverse: boolean; nodes: readonly TemplateNode[] }

/** Sections within sections. */
const depthMax = 6
const partsMax = 5000
/** Elements, attributes, placeholders and the texts between them: the loop that reads them does not yield. */
const piecesMax = 25_000

const elements = new Set(
  `html head title meta style body header main footer section article div span p br hr h1 h2 h3 h4 h5 h6 table caption colgroup
  col thead tbody tfoot tr th td ul ol li dl dt dd b strong i em u s small sub sup code pre blockquote figure figcaption img bdi
  bdo time address abbr cite q mark wbr`.split(/\s+/),
)
const attributes = new Set(
  `class id style title alt lang dir colspan rowspan scope width height align valign span start charset name content src`.split(
    ' ',
  ),
)
/** Attributes that may hold placeholders. */
const shownAttributes = new Set(['alt', 'title', 'class'])
const pictureAddress = /^data:image\/(?:png|jpeg|gif|webp|svg\+xml);base64,[a-zA-Z0-9+/=\s]*$/
/** What would end a value, or look like an element where a browser reads only text. */
const attributeEntities: Readonly<Record<string, string>> = { '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeAttribute = (value: string): string =>
  value.replace(/[<>"]/g, (character) => attributeEntities[character]!)
/** Stands before the end of an element whose content a browser reads as text. */
const endOfText = { style: /(?=<\/style\s*\/?>)/iy, title: /(?=<\/title\s*\/?>)/iy }
const addressInStyle = /@import|image-set\s*\(|\b(?:image|src)\s*\(|url\s*\((?!\s*['"]?data:image\/)/i
const placeholder = /\{\{\s*(?:([#^/])\s*)?([a-z][a-z0-9_.]*)\s*\}\}/y

interface OpenSection {
  name: string
  isInverse: boolean
  nodes: TemplateNode[]
  scopes: readonly Fields[]
}

/** Finds the known name that an unknown one is most like; `null` for none. */
type Suggest = (name: string, known: Iterable<string>) => string | null

const nameLengthMax = 64

class TemplateParser {
  readonly #html: string
  readonly #suggest: Suggest
  #at = 0
  #parts = 0
  #pieces = 0
  readonly #open: OpenSection[]

  constructor(html: string, suggest: Suggest) {
    this.#html = html
    this.#suggest = suggest
    this.#open = [{ name: '', isInverse: false, nodes: [], scopes: [reportFields as Fields] }]
  }

  parse(): readonly TemplateNode[] {
    this.#take(/\s*<!doctype html>\s*/iy)
    while (this.#at < this.#html.length) this.#readNext()
    const { name, nodes } = this.#innermost
    if (this.#open.length > 1) this.#refuse(`{{#${name}}} is not closed`)
    return nodes
  }

  get #innermost(): OpenSection {
    return this.#open.at(-1)!
  }

  #countPiece(): void {
    if (++this.#pieces > piecesMax)
      this.#refuse(`The template has more than ${piecesMax} elements, attributes, placeholders and texts`)
  }

  #readNext(): void {
    this.#countPiece()
    const text = this.#take(/[^<{]+|\{(?!\{)/y)
    if (text) this.#addMarkup(text[0])
    else if (this.#html.startsWith('{{', this.#at)) this.#readPlaceholder()
    else if (!this.#take(/<!--(?:(?!-->)[\s\S])*-->/y)) this.#readTag()
  }

  #readPlaceholder(): void {
    const found = this.#take(placeholder)
    if (!found) this.#refuse('A placeholder has the form {{name}}, {{#name}}, {{^name}} or {{/name}}')
    const [, mark = '', name] = found as unknown as [string, string | undefined, string]
    if (mark === '/') this.#close(name)
    else if (mark === '') this.#addText(name)
    else this.#openSection(name, mark === '^')
  }

  #openSection(name: string, isInverse: boolean): void {
    const { scopes } = this.#innermost
    const field = this.#requireField(name)
    if (this.#open.length > depthMax) this.#refuse(`Sections are nested deeper than ${depthMax}`)
    const isLoop = typeof field === 'object' && 'list' in field && !isInverse
    this.#open.push({ name, isInverse, nodes: [], scopes: isLoop ? [field.list, ...scopes] : scopes })
  }

  #close(name: string): void {
    const closed = this.#innermost
    if (this.#open.length === 1 || closed.name !== name)
      this.#refuse(
        this.#open.length === 1
          ? `{{/${name}}} closes no section`
          : `{{/${name}}} closes {{#${closed.name}}}`,
      )
    this.#open.pop()
    this.#add({ kind: 'section', path: toPath(name), isInverse: closed.isInverse, nodes: closed.nodes })
  }

  #requireField(name: string) {
    const { scopes } = this.#innermost
    const field = findField(name, scopes)
    if (field) return field
    const known = scopes.flatMap((scope) => placeholdersIn(scope))
    const near = this.#suggest(name, known)
    const meant = near === null ? `; known here: ${known.join(', ')}` : `; did you mean {{${near}}}?`
    return this.#refuse(`Unknown placeholder {{${name.slice(0, nameLengthMax)}}}${meant}`)
  }

  #readTag(): void {
    const begun = this.#take(/<(\/?)([a-zA-Z][a-zA-Z0-9]*)/y)
    if (!begun) this.#refuse('Write &lt; for a < that begins no element')
    const [opening, slash, name] = begun as unknown as [string, string, string]
    const element = name.toLowerCase()
    if (!elements.has(element))
      this.#refuse(
        `The element ${element.slice(0, nameLengthMax)} is not allowed: only elements that show text, tables and pictures`,
      )
    this.#addMarkup(opening)
    while (slash === '' && this.#readAttribute(element)) {}
    const ended = this.#take(/\s*\/?>/y)
    if (!ended) this.#refuse(`The element ${element} has an attribute of a wrong form: write name="value"`)
    this.#addMarkup('>')
    if (slash === '/') return
    if (element === 'style') this.#readStyle()
    else if (element === 'title') this.#readTitle()
  }

  #readAttribute(element: string): boolean {
    const named = this.#take(/\s+([a-zA-Z][a-zA-Z0-9-]*)/y)
    if (!named) return false
    this.#countPiece()
    const name = named[1]!.toLowerCase()
    if (!attributes.has(name) && !/^(?:aria|data)-/.test(name))
      this.#refuse(`The attribute ${name.slice(0, nameLengthMax)} of ${element} is not allowed`)
    const given = this.#take(/\s*=\s*("[^"]*"|'[^']*')/y)
    const value = given ? given[1]!.slice(1, -1) : ''
    this.#addMarkup(` ${name}="`)
    this.#readValue(element, name, value)
    this.#addMarkup('"')
    return true
  }

  #readValue(element: string, name: string, value: string): void {
    if (name === 'src') this.#readAddress(element, value)
    else if (value.includes('{{')) this.#readShownValue(name, value)
    else {
      if (name === 'style') this.#checkStyle(value)
      this.#addMarkup(escapeAttribute(value))
    }
  }

  #readAddress(element: string, value: string): void {
    if (element !== 'img') this.#refuse('Only img has src')
    const [, image] = /^\{\{\s*([a-z][a-z0-9_.]*)\s*\}\}$/.exec(value) ?? []
    if (image !== undefined) {
      if (this.#requireField(image) !== 'image') this.#refuse(`{{${image}}} is no picture`)
      this.#add({ kind: 'image', path: toPath(image) })
    } else if (pictureAddress.test(value)) this.#addMarkup(value)
    else
      this.#refuse(
        'src of img is {{image}} or a picture as data:image/…;base64, since a report loads nothing',
      )
  }

  #readShownValue(name: string, value: string): void {
    if (!shownAttributes.has(name))
      this.#refuse(`The attribute ${name} holds no placeholders: only alt, title and class do`)
    for (const [index, part] of value.split(/\{\{\s*([a-z][a-z0-9_.]*)\s*\}\}/).entries()) {
      if (index % 2 === 1) this.#addText(part)
      else if (part.includes('{{')) this.#refuse('Attributes hold no sections')
      else this.#addMarkup(escapeAttribute(part))
    }
  }

  #readStyle(): void {
    const holds = 'no placeholders and no elements'
    const text = this.#take(/[^<]*/y)![0]
    this.#requireEnd('style', holds)
    if (text.includes('{{')) this.#refuse(`The element style holds ${holds}`)
    this.#checkStyle(text)
    this.#addMarkup(text)
  }

  #readTitle(): void {
    while (this.#readTitlePart()) {}
    this.#requireEnd('title', 'only text and {{name}}')
  }

  #readTitlePart(): boolean {
    this.#countPiece()
    const text = this.#take(/[^<{]+|\{(?!\{)/y)
    if (text) this.#addMarkup(text[0])
    const shown = text ? null : this.#take(/\{\{\s*([a-z][a-z0-9_.]*)\s*\}\}/y)
    if (shown) this.#addText(shown[1]!)
    return text !== null || shown !== null
  }

  #requireEnd(element: keyof typeof endOfText, holds: string): void {
    if (this.#at === this.#html.length) this.#refuse(`The element ${element} is not closed`)
    if (!this.#take(endOfText[element])) this.#refuse(`The element ${element} holds ${holds}`)
  }

  #checkStyle(style: string): void {
    // They would spell names that are looked for here in another way.
    if (/[\\&]/.test(style)) this.#refuse('Styles hold no \\ and no &: write characters as they are')
    if (addressInStyle.test(style))
      this.#refuse('Styles load nothing: no @import, no image-set(), and url() only with data:image/')
  }

  #addText(name: string): void {
    if (this.#requireField(name) !== 'text')
      this.#refuse(`{{${name}}} is no text: use {{#${name}}}…{{/${name}}}`)
    this.#add({ kind: 'value', path: toPath(name) })
  }

  #addMarkup(text: string): void {
    const last = this.#innermost.nodes.at(-1)
    if (last?.kind === 'markup') last.text += text
    else this.#add({ kind: 'markup', text })
  }

  #add(node: TemplateNode): void {
    if (++this.#parts > partsMax) this.#refuse(`The template has more than ${partsMax} parts`)
    this.#innermost.nodes.push(node)
  }

  #take(form: RegExp): RegExpExecArray | null {
    form.lastIndex = this.#at
    const found = form.exec(this.#html)
    if (found) this.#at = form.lastIndex
    return found
  }

  #refuse(what: string): never {
    const line = this.#html.slice(0, this.#at).split('\n').length
    throw new AppError('value_invalid', `html, line ${line}: ${what}`, {
      details: { key_path: 'html', line },
      place: 'html',
    })
  }
}

/**
 * Parses a template.
 * @param suggest finds the placeholder that was probably meant
 * @throws {AppError} `value_invalid` with the line and what is wrong
 */
export const parseTemplate = (html: string, suggest: Suggest = () => null): readonly TemplateNode[] =>
  new TemplateParser(html, suggest).parse()
