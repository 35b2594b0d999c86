/** What was read on a document, and whether it fits together. */
import type { Analysis } from '../../../../client/index.ts'
import { documentWordOf, documentWords } from '../../../document-words.ts'
import { findingWords } from '../../../finding-words.ts'
import type { DocumentField, EvidenceProps } from '../../evidence.ts'
import { t, word } from '../../language.ts'
import { checkTones, checkWords } from '../../words.ts'
import { Facts, Table } from '../layout.tsx'
import { StoredImage } from '../media.tsx'

type Results = NonNullable<Analysis['results_data']>
type Check = 'SUCCESS' | 'DECLINED' | 'OPERATOR_REQUIRED' | null

const Checked = ({ check }: { check: Check }) =>
  check && <span class={`state ${checkTones[check]}`}>{word(check, checkWords)}</span>

/** Green is only what was checked. */
function Found({ field: { finding, status } }: { field: DocumentField }) {
  const tone = finding === 'agrees' || status !== 'SUCCESS' ? checkTones[status] : 'none'
  return <span class={`state ${tone}`}>{word(finding, findingWords)}</span>
}

export const nameOf = (name: string): string => word(documentWordOf(name), documentWords)

export function DocumentEvidence({ analysis }: EvidenceProps) {
  const results: Results = analysis.results_data ?? {}
  const { text_fields = [], validity, hints, mrz_lines } = results
  const portraits = analysis.results_media.flatMap(({ output_images }) => output_images)
  const told = Object.entries(hints ?? {}).flatMap(([name, isTrue]) => (isTrue ? [nameOf(name)] : []))
  return (
    <>
      {portraits.map(({ image_id, original_url, thumb_url }) => (
        <span key={image_id} class="portrait">
          <StoredImage link={original_url ?? thumb_url} alt={t('Portrait on the document')} />
        </span>
      ))}
      <Facts
        of={[
          [t('Document'), results.document_kind && nameOf(results.document_kind)],
          [t('Format'), results.document_format],
          [t('Issuing state'), results.issuing_state],
          ...Object.entries(validity ?? {}).map(
            ([name, check]) => [nameOf(name), check && <Checked key={name} check={check} />] as const,
          ),
          [t('Signs of'), told.join(', ')],
        ]}
      />
      {text_fields.length > 0 && (
        <div class="fields">
          <Table
            label={t('Fields of the document')}
            rows={text_fields}
            keyOf={({ field_name }) => field_name}
            columns={[
              [t('Field'), ({ field_name }) => nameOf(field_name)],
              [t('Printed'), ({ visual }) => visual ?? '–'],
              [t('Machine-readable'), ({ mrz }) => mrz ?? '–'],
              [t('Check'), (field) => <Found field={field} />],
            ]}
          />
        </div>
      )}
      {mrz_lines && <code class="zone">{mrz_lines.join('\n')}</code>}
    </>
  )
}
