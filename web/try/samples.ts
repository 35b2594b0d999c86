/** Pictures of the server to try the page with. */
import { h } from '../dom.ts'
import { type Text, t } from './language.ts'
import type { Config } from './service.ts'

export interface Sample {
  /** Of the file. */
  name: string
  isId?: boolean
  label: Text
}

/** On a sandbox the name of a file is its outcome. */
const outcomes: readonly Sample[] = [
  { name: 'success', label: 'A live person' },
  { name: 'print_or_screen', label: 'Print or screen' },
  { name: 'no_face', label: 'No face' },
  { name: 'several_faces', label: 'Several faces' },
  { name: 'dark', label: 'Too dark' },
  { name: 'document_expired', isId: true, label: 'Expired document' },
]
/** A drawn page that every server reads. No picture of a person comes along. */
const real: readonly Sample[] = [{ name: 'passport', isId: true, label: 'Passport' }]

/** The samples that this server can judge, as buttons. */
export function sampleButtons(
  { sandbox, documents_analysis_enabled }: Pick<Config, 'sandbox' | 'documents_analysis_enabled'>,
  onChoice: (sample: Sample) => void,
): HTMLElement[] {
  const offered = (sandbox ? outcomes : real).filter(({ isId }) => !isId || documents_analysis_enabled)
  if (offered.length === 0) return []
  return [
    h('span', {}, t('Samples:')),
    ...offered.map((sample) =>
      h('button', { type: 'button', click: () => onChoice(sample) }, t(sample.label)),
    ),
  ]
}
