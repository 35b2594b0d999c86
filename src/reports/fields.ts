/** The placeholders of templates. */
import type { NamedValue, Picture, Report, ReportScore } from './report.ts'

/** A text, a picture, something that is or is not, a group of fields, or a list of items with fields. */
type Field = 'text' | 'image' | 'flag' | { group: Fields } | { list: Fields }
export interface Fields {
  readonly [name: string]: Field
}

type FieldOf<T> = T extends string
  ? 'text'
  : T extends boolean
    ? 'flag'
    : T extends Picture | null
      ? 'image'
      : T extends readonly (infer Item)[]
        ? { list: FieldsOf<Item> }
        : { group: FieldsOf<T> }
type FieldsOf<T> = { readonly [Name in keyof T & string]: FieldOf<T[Name]> }

const named: FieldsOf<NamedValue> = { name: 'text', value: 'text' }

const score: FieldsOf<ReportScore> = {
  analysis: 'text',
  type: 'text',
  title: 'text',
  name: 'text',
  label: 'text',
  media: 'text',
  score: 'text',
  required: 'text',
  state: 'text',
}

/** All fields of a report, by the names of its properties. */
export const reportFields: FieldsOf<Report> = {
  report: { group: { id: 'text', fileName: 'text', timeCreated: 'text', template: 'text' } },
  service: { group: { version: 'text' } },
  folder: {
    group: {
      id: 'text',
      companyId: 'text',
      companyName: 'text',
      userId: 'text',
      timeCreated: 'text',
      timeUpdated: 'text',
      resolutionStatus: 'text',
      systemResolution: 'text',
      systemVerdict: 'text',
      meaning: 'text',
      operatorStatus: 'text',
      operatorComment: 'text',
      operatorRemark: 'text',
      resolution: 'text',
      verdict: 'text',
      decidedBy: 'text',
      reference: 'text',
    },
  },
  fields: { list: named },
  analyses: {
    list: {
      number: 'text',
      id: 'text',
      type: 'text',
      title: 'text',
      state: 'text',
      systemResolution: 'text',
      systemVerdict: 'text',
      resolution: 'text',
      verdict: 'text',
      resolutionOperator: 'text',
      operatorVerdict: 'text',
      resolutionComment: 'text',
      error: 'text',
      reasons: { list: named },
      timeCreated: 'text',
      timeUpdated: 'text',
      media: 'text',
      scores: { list: score },
      evidence: { list: named },
      profile: 'text',
      assurance: 'text',
      networks: 'text',
    },
  },
  scores: { list: score },
  media: {
    list: {
      number: 'text',
      id: 'text',
      kind: 'text',
      name: 'text',
      tags: 'text',
      type: 'text',
      size: 'text',
      dimensions: 'text',
      md5: 'text',
      timeCreated: 'text',
      pictures: { list: { caption: 'text', image: 'image' } },
      evidence: { list: named },
    },
  },
  decisions: { list: { time: 'text', who: 'text', what: 'text', comment: 'text' } },
  models: { list: { profile: 'text', assurance: 'text', networks: 'text', analyses: 'text' } },
  attachments: 'flag',
}

/** The name of a property as placeholders write it. */
const toPlaceholder = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The name of a property; the reverse of `toPlaceholder`. */
const toProperty = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** The properties that a placeholder names, from the outside in. */
export const toPath = (placeholder: string): string[] => placeholder.split('.').map(toProperty)

/** The field that a placeholder names in one of the scopes, the innermost first; `null` for none. */
export function findField(placeholder: string, scopes: readonly Fields[]): Field | null {
  const path = toPath(placeholder)
  if (path.map(toPlaceholder).join('.') !== placeholder) return null
  for (const scope of scopes) {
    let found: Field | undefined = { group: scope }
    for (const name of path) {
      const fields: Fields = typeof found === 'object' && 'group' in found ? found.group : {}
      found = Object.hasOwn(fields, name) ? fields[name] : undefined
    }
    if (found) return found
  }
  return null
}

/** The placeholders that a scope has, groups in dotted form. */
export const placeholdersIn = (scope: Fields, prefix = ''): string[] =>
  Object.entries(scope).flatMap(([name, field]) => {
    const placeholder = prefix + toPlaceholder(name)
    return typeof field === 'object' && 'group' in field
      ? placeholdersIn(field.group, `${placeholder}.`)
      : [placeholder]
  })
