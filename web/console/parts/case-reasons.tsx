/** Why the service did not accept a case, in words: of every analysis that did not pass. */
import type { Analysis } from '../../../client/index.ts'
import { findingWords } from '../../finding-words.ts'
import { doubtsOf, type EvidenceProps } from '../evidence.ts'
import { t, word } from '../language.ts'
import { reasonsOf } from '../reasons.ts'
import { typeWords } from '../words.ts'
import { nameOf } from './evidence/document.tsx'
import { State } from './layout.tsx'

/** At what somebody must look. */
function Doubts({ analysis }: Pick<EvidenceProps, 'analysis'>) {
  const doubts = doubtsOf(analysis).map(
    ({ field_name, finding }) => `${nameOf(field_name)} (${word(finding, findingWords)})`,
  )
  return doubts.length > 0 && <p>{t('Look at: {fields}', { fields: doubts.join(', ') })}</p>
}

function Reasons({ analysis, nameMedium }: EvidenceProps) {
  const isSeveral = analysis.source_media.length > 1
  return (
    <>
      <ul class="reasons">
        {reasonsOf(analysis).map(({ code, message, advice, mediaIds }) => (
          <li key={code}>
            <strong>{message}</strong>
            {isSeveral && mediaIds.length > 0 && ` (${mediaIds.map(nameMedium).join(', ')})`} {advice}
          </li>
        ))}
      </ul>
      <Doubts analysis={analysis} />
    </>
  )
}

interface CaseReasonsProps {
  analyses: readonly Analysis[]
  nameMedium(mediumId: string): string
}

export function CaseReasons({ analyses, nameMedium }: CaseReasonsProps) {
  const unpassed = analyses.filter((analysis) => reasonsOf(analysis).length > 0)
  return (
    unpassed.length > 0 && (
      <section class="card case-reasons" aria-label={t('What the service found')}>
        <h2>{t('What the service found')}</h2>
        {unpassed.map((analysis) => (
          <div key={analysis.analysis_id}>
            <div class="card-head">
              <h3>{word(analysis.type, typeWords)}</h3>
              <State name={analysis.system_resolution} />
            </div>
            <Reasons analysis={analysis} nameMedium={nameMedium} />
          </div>
        ))}
      </section>
    )
  )
}
