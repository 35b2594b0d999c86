/** Writes a report as HTML by a template. */
import { encodeBase64 } from '../base64.ts'
import { AppError } from '../errors.ts'
import { shotType } from '../records/file-types.ts'
import { reportPolicy } from '../records/report.ts'
import type { Picture, Report } from './report.ts'
import type { TemplateNode } from './template.ts'

// Before everything of the template, so that it holds of the whole file also where no header is sent with it.
const head = `<!doctype html>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${reportPolicy}">
`

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Letters written from right to left, and characters that change the direction. */
const changesDirection =
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are shown
const controls = /[\u0000-\u0008\u000b-\u001f\u007f]/g

/** Symbols that stand for control characters, which HTML cannot hold. */
const showControl = (control: string): string =>
  String.fromCharCode(control === '\u007f' ? 0x2421 : 0x2400 + control.charCodeAt(0))

/** A value as text of HTML. Where its direction may differ, it is isolated, so that it reorders nothing around it. */
export function escapeHtml(value: string): string {
  const text = value
    .replace(/\r\n?/g, '\n')
    .replace(controls, showControl)
    .replace(/[&<>"']/g, (character) => entities[character]!)
  return changesDirection.test(text) ? `\u2068${text}\u2069` : text
}

type Scope = object

function findValue(path: readonly string[], scopes: readonly Scope[]): unknown {
  const scope = scopes.find((candidate) => Object.hasOwn(candidate, path[0]!))
  return path.reduce<unknown>((value, part) => (value as Record<string, unknown>)[part], scope)
}

const isThere = (value: unknown): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== '' && value !== null && value !== false

/** Parts of a template that one report writes, and items that it repeats parts for. Many of them may have no text. */
const writtenMax = 500_000

class Renderer {
  #written = 0;

  *write(nodes: readonly TemplateNode[], scopes: readonly Scope[]): Generator<string> {
    for (const node of nodes) {
      this.#count()
      if (node.kind === 'markup') yield node.text
      else if (node.kind === 'section') yield* this.#writeSection(node, scopes)
      else if (node.kind === 'value') yield escapeHtml(String(findValue(node.path, scopes)))
      else {
        const picture = findValue(node.path, scopes) as Picture | null
        if (picture) yield `data:${shotType};base64,${encodeBase64(picture.bytes)}`
      }
    }
  }

  *#writeSection(
    { path, isInverse, nodes }: Extract<TemplateNode, { kind: 'section' }>,
    scopes: readonly Scope[],
  ): Generator<string> {
    // Whoever reads the pieces can pause here, also if no section shows anything.
    yield ''
    const value = findValue(path, scopes)
    if (isThere(value) === isInverse) return
    if (isInverse || !Array.isArray(value)) return yield* this.write(nodes, scopes)
    for (const item of value as Scope[]) {
      this.#count()
      yield* this.write(nodes, [item, ...scopes])
    }
  }

  #count(): void {
    if (++this.#written > writtenMax) refuseLength(`writes more than ${writtenMax} parts of its template`)
  }
}

function refuseLength(what: string): never {
  throw new AppError(
    'not_allowed',
    `The report ${what}: use a template that repeats less, or one without pictures`,
  )
}

/**
 * Writes a report, in pieces.
 * @param lengthMax characters
 * @throws {AppError} `not_allowed` if it gets longer, or repeats too much
 */
export function* renderHtml(
  nodes: readonly TemplateNode[],
  report: Report,
  lengthMax: number,
): Generator<string> {
  yield head
  let length = head.length
  for (const piece of new Renderer().write(nodes, [report])) {
    length += piece.length
    if (length > lengthMax) refuseLength(`is longer than ${lengthMax} characters`)
    yield piece
  }
}
