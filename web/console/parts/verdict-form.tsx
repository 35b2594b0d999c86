/** Comment and buttons of a decision, on a case or on one analysis. */
import type { ComponentChildren } from 'preact'
import { t } from '../language.ts'
import { Field } from './forms.tsx'

export type Verdict = 'SUCCESS' | 'DECLINED'

interface VerdictFormProps {
  comment: string
  onComment(text: string): void
  hint?: string | undefined
  isBusy: boolean
  decide(verdict: Verdict): void
  /** More buttons. */
  children?: ComponentChildren
}

export const VerdictForm = ({ comment, onComment, hint, isBusy, decide, children }: VerdictFormProps) => (
  <>
    <Field label={t('Comment')} hint={hint}>
      {(id) => (
        <textarea
          id={id}
          rows={2}
          maxLength={4000}
          value={comment}
          onInput={({ currentTarget }) => onComment(currentTarget.value)}
        />
      )}
    </Field>
    <div class="row">
      <button type="button" class="accept" aria-disabled={isBusy} onClick={() => decide('SUCCESS')}>
        {t('Accept')}
      </button>
      <button type="button" class="danger" aria-disabled={isBusy} onClick={() => decide('DECLINED')}>
        {t('Decline')}
      </button>
      {children}
    </div>
  </>
)
