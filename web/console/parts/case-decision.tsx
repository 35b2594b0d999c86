/** The decision on a case: what, why, and what other operators have decided or look at. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError, type Folder, type OperatorDecision, type QueueEntry } from '../../../client/index.ts'
import { keepDraft, readDraft } from '../drafts.ts'
import { useKeys } from '../keys.ts'
import { t, word } from '../language.ts'
import { calmMs, useLoaded } from '../load.ts'
import { goTo } from '../route.ts'
import { api, mayWith, session } from '../session.ts'
import { countWaiting, takeNext } from '../waiting.ts'
import { decisionReasonWords, stateWords } from '../words.ts'
import { Action, ChoiceField } from './forms.tsx'
import { Card, State, Time } from './layout.tsx'
import { attempt, tell } from './notices.tsx'
import { type Verdict, VerdictForm } from './verdict-form.tsx'

type Reason = NonNullable<OperatorDecision['reason_code']>

const reasonsByVerdict: Readonly<Record<Verdict, readonly Reason[]>> = {
  SUCCESS: ['genuine', 'same_person', 'document_valid', 'quality_sufficient'],
  DECLINED: [
    ...(['print', 'screen', 'mask', 'manipulated', 'different_person', 'several_people'] as const),
    ...(['document_expired', 'document_forged', 'document_unreadable', 'quality_insufficient'] as const),
  ],
}

/** Milliseconds between two signs that this person still looks. */
const holdMs = 60_000

/** Whether an error says that somebody else has decided. */
const isOutdated = (error: unknown): boolean => error instanceof ApiError && error.status === 409

/**
 * The decisions on a folder, the newest first; none for those who may not read them.
 * @param onChange called when there is a new one
 */
export function useDecisions(
  folder: Pick<Folder, 'folder_id' | 'company_id' | 'user_id'>,
  onChange: () => void,
) {
  const maySee = mayWith(folder, 'read', 'queue')
  const loaded = useLoaded(
    async (signal): Promise<readonly OperatorDecision[]> => {
      if (!maySee) return []
      const path = { folder: folder.folder_id }
      const query = { limit: 50, total_omit: true }
      return (await api('GET /api/folders/{folder}/decisions', { path, query, signal })).items
    },
    [folder.folder_id],
    () => (maySee ? calmMs : null),
  )
  const [seen, setSeen] = useState<string | null>(null)
  const newest = loaded.data?.[0]?.decision_id ?? ''
  useEffect(() => {
    if (loaded.data === null) return
    if (seen !== null && seen !== newest) onChange()
    setSeen(newest)
  }, [newest, loaded.data === null])
  return loaded
}

/** Says that this person looks at a folder, as long as it is shown. @returns who else does; `null` for nobody */
export function useViewer(folder: Pick<Folder, 'folder_id'>, isOn: boolean): QueueEntry | null {
  const [entry, setEntry] = useState<QueueEntry | null>(null)
  const path = { folder: folder.folder_id }
  useEffect(() => {
    if (!isOn) return
    let isGone = false
    const hold = () => {
      if (document.visibilityState !== 'visible') return
      const show = (found: QueueEntry | null) => {
        if (!isGone) setEntry(found)
      }
      api('POST /api/queue/{folder}', { path, body: {} }).then(show, () => show(null))
    }
    hold()
    const timer = setInterval(hold, holdMs)
    return () => {
      clearInterval(timer)
      isGone = true
      setEntry(null)
      // Without it the server lets go by itself.
      if (session.peek()) api('DELETE /api/queue/{folder}', { path }).catch(() => {})
    }
  }, [path.folder, isOn])
  const isOther = entry?.viewer_id && entry.viewer_id !== session.value?.user.user_id
  return isOther ? entry : null
}

export const nameAuthor = (email: string | null): string => email ?? t('another operator')

export const Viewer = ({ entry }: { entry: QueueEntry | null }) =>
  entry && (
    <p class="problem" role="status">
      {t('Being looked at by {who}.', { who: nameAuthor(entry.viewer_email) })}
    </p>
  )

interface NextCaseProps {
  /** The folder that is left; `null` at the beginning. */
  after: string | null
  class?: string
}

export function NextCase({ after, class: name }: NextCaseProps) {
  const next = async () => {
    const id = await takeNext(after)
    if (id === null) tell(t('Nothing else waits.'))
    else goTo('folders', id)
  }
  useKeys([{ key: 'n', text: 'Next of the queue', run: () => attempt(next) }])
  return (
    <Action run={next} {...(name ? { class: name } : {})}>
      {t('Next of the queue')}
    </Action>
  )
}

const Said = ({ decision }: { decision: OperatorDecision }) => (
  <>
    {decision.status !== null && <State name={decision.status} />}{' '}
    <span>
      {nameAuthor(decision.author_email)}, <Time at={decision.time_created} />
      {decision.reason_code !== null && `: ${word(decision.reason_code, decisionReasonWords)}`}
    </span>
    {decision.comment !== '' && <q class="said">{decision.comment}</q>}
    {!decision.is_effective && (
      <span class="hint">{t('Takes effect when a second person decides the same.')}</span>
    )}
  </>
)

/** Every decision that was made, the newest first. */
export const Trail = ({ decisions }: { decisions: readonly OperatorDecision[] }) =>
  decisions.length > 0 && (
    <Card title={t('Decisions')}>
      <ol class="trail">
        {decisions.map((decision) => (
          <li key={decision.decision_id}>
            <Said decision={decision} />
          </li>
        ))}
      </ol>
    </Card>
  )

interface CaseDecisionProps {
  folder: Folder
  /** The newest first; `null` until they are known. */
  decisions: readonly OperatorDecision[] | null
  /** Shows the folder as it is now. */
  reload(): void
}

/** Accepts or declines the whole case. */
export function CaseDecision({ folder, decisions, reload }: CaseDecisionProps) {
  const { folder_id, resolution_state_hash } = folder
  const [comment, setComment] = useState(() => readDraft(folder_id))
  const [reason, setReason] = useState<Reason | ''>('')
  const [isBusy, setBusy] = useState(false)
  const [wasOutdated, setOutdated] = useState(false)
  const write = (text: string) => {
    setComment(text)
    keepDraft(folder_id, text)
  }
  const store = async (operator_status: Verdict) => {
    const body = {
      ...{ operator_status, operator_comment: comment, reason_code: reason || null },
      resolution_state_hash,
    }
    try {
      await api('PATCH /api/folders/{folder}', { path: { folder: folder_id }, body })
    } catch (error) {
      if (!isOutdated(error)) throw error
      setOutdated(true)
      reload()
      return
    }
    setOutdated(false)
    write('')
    setReason('')
    tell(t('The decision is stored.'))
    void countWaiting()
    reload()
  }
  const decide = async (verdict: Verdict) => {
    if (isBusy) return
    setBusy(true)
    await attempt(() => store(verdict))
    setBusy(false)
  }
  // A letter alone decides nothing: it leads to the button that does.
  const section = useRef<HTMLElement>(null)
  const lead = (selector: string) => () => section.current?.querySelector<HTMLElement>(selector)?.focus()
  useKeys([
    { key: 'a', text: 'To the button that accepts', run: lead('.accept') },
    { key: 'd', text: 'To the button that declines', run: lead('.danger') },
    { key: 'r', text: 'To the reason', run: lead('select') },
    { key: 'c', text: 'To the comment', run: lead('textarea') },
  ])
  const newest = decisions?.[0]
  return (
    <section ref={section} class="card decision" aria-label={t('Your decision on the folder')}>
      <h2>{t('Your decision on the folder')}</h2>
      {wasOutdated && newest && (
        <div class="problem" role="alert">
          <p>{t('Somebody has decided meanwhile. Yours is not stored. Look again, then decide.')}</p>
          <Said decision={newest} />
        </div>
      )}
      <ChoiceField
        label={t('Reason')}
        value={reason}
        options={[
          ['', '–'],
          ...(['SUCCESS', 'DECLINED'] as const).flatMap((verdict) =>
            reasonsByVerdict[verdict].map(
              (code) => [code, `${word(verdict, stateWords)}: ${word(code, decisionReasonWords)}`] as const,
            ),
          ),
          ['other', word('other', decisionReasonWords)],
        ]}
        onValue={(code) => setReason(code as Reason | '')}
      />
      <VerdictForm
        comment={comment}
        onComment={write}
        hint={t('It is kept in this browser until you decide.')}
        isBusy={isBusy}
        decide={decide}
      >
        {mayWith(folder, 'update', 'queue') && <NextCase after={folder_id} />}
      </VerdictForm>
      <p class="hint">{t('It decides all analyses that did not pass.')}</p>
    </section>
  )
}
