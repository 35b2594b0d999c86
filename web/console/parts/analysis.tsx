/** One analysis: its verdict, the scores that it was made of, and the operator's decision. */
import { useState } from 'preact/hooks'
import type { Analysis } from '../../../client/index.ts'
import { keepDraft, readDraft } from '../drafts.ts'
import { type EvidenceProps, technicalOf } from '../evidence.ts'
import { t, word } from '../language.ts'
import { api, may } from '../session.ts'
import { countWaiting } from '../waiting.ts'
import { gestureWords, typeWords } from '../words.ts'
import { CandidatesEvidence } from './evidence/candidates.tsx'
import { ComparisonEvidence } from './evidence/comparison.tsx'
import { DocumentEvidence } from './evidence/document.tsx'
import { LivenessEvidence } from './evidence/liveness.tsx'
import { QualityEvidence } from './evidence/quality.tsx'
import { Facts, State, Time } from './layout.tsx'
import { attempt } from './notices.tsx'
import { type Verdict, VerdictForm } from './verdict-form.tsx'

const evidenceViews = {
  QUALITY: LivenessEvidence,
  BIOMETRY: ComparisonEvidence,
  COLLECTION: CandidatesEvidence,
  DOCUMENTS: DocumentEvidence,
}

interface DecisionProps {
  analysis: Analysis
  /** The state of the folder as it is shown. */
  stateHash: string | null
  onDecided(): void
}

/** Accepts or declines in the name of the operator. */
function DecisionForm({ analysis, stateHash, onDecided }: DecisionProps) {
  const { folder_id, analysis_id } = analysis
  const [comment, setComment] = useState(() => readDraft(folder_id, analysis_id))
  // Whoever comes back sees what was begun.
  const [wasBegun] = useState(comment !== '')
  const [isBusy, setBusy] = useState(false)
  const write = (text: string) => {
    setComment(text)
    keepDraft(folder_id, text, analysis_id)
  }
  const decide = async (decision: Verdict) => {
    if (isBusy) return
    setBusy(true)
    const path = { analysis: analysis_id! }
    const body = {
      ...{ resolution_operator: decision, resolution_comment: comment },
      resolution_state_hash: stateHash,
    }
    const store = () => api('PATCH /api/analyses/{analysis}', { path, body })
    if (await attempt(store, t('The decision is stored.'))) {
      write('')
      void countWaiting()
    }
    // What others have decided meanwhile is to be seen, too.
    onDecided()
    setBusy(false)
  }
  return (
    <details class="decision" open={wasBegun}>
      <summary>{t('Decide only this analysis')}</summary>
      <VerdictForm comment={comment} onComment={write} isBusy={isBusy} decide={decide} />
    </details>
  )
}

interface AnalysisCardProps extends EvidenceProps {
  stateHash: string | null
  /** `null` if nothing can be decided any more. */
  onDecided: (() => void) | null
}

export function AnalysisCard({ analysis, nameMedium, stateHash, onDecided }: AnalysisCardProps) {
  const { type, state, system_resolution, resolution_operator, resolution_comment } = analysis
  const { model_profile, assurance, gestures } = technicalOf(analysis)
  const Evidence = evidenceViews[type]
  const evidence = <Evidence analysis={analysis} nameMedium={nameMedium} />
  // What was read and who was found is to be seen; numbers are folded away.
  const isMeasured = type === 'QUALITY' || type === 'BIOMETRY'
  return (
    <section class="card analysis" aria-label={word(type, typeWords)}>
      <div class="card-head">
        <h2>{word(type, typeWords)}</h2>
        <State name={analysis.resolution} />
      </div>
      {!isMeasured && evidence}
      {gestures?.map(({ media_id, gesture, performed }) => (
        <p key={media_id}>
          {word(gesture, gestureWords)}: {performed ? t('performed') : t('not performed')}
        </p>
      ))}
      <Facts
        of={[
          [t('Operator'), resolution_operator && <State key="operator" name={resolution_operator} />],
          [t('Comment'), resolution_comment],
        ]}
      />
      <details class="measured">
        <summary>{t('Measurements')}</summary>
        {isMeasured && evidence}
        <QualityEvidence analysis={analysis} nameMedium={nameMedium} />
        <Facts
          of={[
            [t('Service'), <State key="system" name={system_resolution} />],
            [t('Reason'), analysis.error_message],
            [
              t('Networks'),
              model_profile && `${model_profile}${assurance === 'low' ? `, ${t('low assurance')}` : ''}`,
            ],
            [t('Changed'), <Time key="time" at={analysis.time_updated} />],
          ]}
        />
      </details>
      {state === 'FINISHED' && onDecided && may('update', 'decision') && (
        <DecisionForm analysis={analysis} stateHash={stateHash} onDecided={onDecided} />
      )}
    </section>
  )
}
