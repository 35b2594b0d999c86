/** What the ID says, if it is a document. */
import { documentWordOf, documentWords } from '../document-words.ts'
import { h } from '../dom.ts'
import { findingWords } from '../finding-words.ts'
import type { Analysis } from './answer.ts'
import { card } from './evidence.ts'
import { type Text, t } from './language.ts'
import { describeReasons, type Verdict } from './words.ts'

type Check = 'SUCCESS' | 'DECLINED' | 'OPERATOR_REQUIRED' | null

interface Field {
  field_name: string
  visual: string | null
  mrz: string | null
  status: keyof typeof tones
  finding: keyof typeof findingWords
}

interface DocumentResults {
  text_fields: Field[]
  document_kind: string | null
  mrz_lines: readonly string[] | null
  validity: Record<string, Check>
}

/** The code of an answer that says that a picture shows no document. */
export const noDocument = 3010

const tones = { SUCCESS: '', DECLINED: 'bad', OPERATOR_REQUIRED: 'open' } as const

const validityWords: Readonly<Record<string, Readonly<Partial<Record<string, Text>>>>> = {
  check_digits: { DECLINED: 'The check digits are wrong.' },
  expiry: { DECLINED: 'The document has expired.' },
  dates: { DECLINED: 'The dates contradict each other.' },
  agreement: { DECLINED: 'The page contradicts the machine-readable zone.' },
  single_document: { OPERATOR_REQUIRED: 'This may be two documents.' },
}

const heads = ['Field', 'Printed', 'Machine-readable', 'Check'] as const

const cell = (name: (typeof heads)[number], text: string, tone = '') =>
  h('td', { 'data-name': t(name), class: tone }, text)

function nameOf(field: string): string {
  const name = documentWordOf(field)
  const text = documentWords[name]
  return text ? t(text) : name
}

/** Green is only what was checked. */
const toneOf = ({ finding, status }: Field): string => (finding === 'agrees' ? 'good' : tones[status])

function fieldTable({ text_fields }: DocumentResults): HTMLElement {
  return h(
    'div',
    { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': t('Fields of the document') },
    h(
      'table',
      { class: 'fields' },
      h('thead', {}, h('tr', {}, ...heads.map((name) => h('th', { scope: 'col' }, t(name))))),
      h(
        'tbody',
        {},
        ...text_fields.map((field) =>
          h(
            'tr',
            {},
            h('th', { scope: 'row' }, nameOf(field.field_name)),
            cell('Printed', field.visual ?? '–'),
            cell('Machine-readable', field.mrz ?? '–'),
            cell('Check', t(findingWords[field.finding]), toneOf(field)),
          ),
        ),
      ),
    ),
  )
}

const resolutionWords: Readonly<Record<string, Text>> = {
  SUCCESS: 'The document passes.',
  DECLINED: 'The document does not pass.',
  OPERATOR_REQUIRED: 'Somebody must look at the document.',
}

const resolutionTones: Readonly<Record<string, Verdict['tone']>> = { SUCCESS: 'good', DECLINED: 'bad' }

interface ShownDocument {
  verdict: Verdict
  /** What was read; `null` for nothing. */
  fields: HTMLElement | null
}

/** What an analysis read. */
export function describeDocument(analysis: Analysis): ShownDocument {
  const { resolution } = analysis
  const results = analysis.results_data as DocumentResults | null
  if (resolution === 'FAILED' || !results) {
    const text = describeReasons(analysis)
    return { verdict: { tone: 'open', title: t('Could not be checked'), text }, fields: null }
  }
  const doubts = results.text_fields
    .filter(({ status }) => status !== 'SUCCESS')
    .map(({ field_name, finding }) => `${nameOf(field_name)} (${t(findingWords[finding])})`)
  const text = [
    ...Object.entries(results.validity).flatMap(([name, check]) => {
      const text = check && validityWords[name]?.[check]
      return text ? [t(text)] : []
    }),
    ...(doubts.length > 0 ? [t('Look at: {fields}.', { fields: doubts.join(', ') })] : []),
    ...(results.mrz_lines === null
      ? [t('It has no machine-readable zone that could prove its fields.')]
      : []),
    t('Whether the document is genuine is not examined.'),
  ].join(' ')
  const title = t(resolutionWords[resolution]!).replace(/\.$/, '')
  return {
    verdict: { tone: resolutionTones[resolution] ?? 'open', title, text },
    fields: fieldTable(results),
  }
}

/** The same beside other evidence. */
export const documentCard = ({ verdict: { title, text }, fields }: ShownDocument): HTMLElement =>
  card(t('Document'), h('p', {}, h('strong', {}, `${title}.`)), h('p', {}, text), fields)
