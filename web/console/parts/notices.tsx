/** Short messages at the edge of the page, and questions before something is removed. */
import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { t } from '../language.ts'
import { describeProblem } from '../load.ts'

interface Notice {
  id: number
  text: string
  tone: 'good' | 'bad'
}

const shownMs = 6000
const notices = signal<readonly Notice[]>([])
let lastId = 0

export function tell(text: string, tone: Notice['tone'] = 'good'): void {
  const id = ++lastId
  notices.value = [...notices.peek(), { id, text, tone }]
  setTimeout(() => {
    notices.value = notices.peek().filter((notice) => notice.id !== id)
  }, shownMs)
}

/** Does something, and tells if it fails. @returns whether it succeeded */
export async function attempt(action: () => Promise<unknown>, done?: string): Promise<boolean> {
  try {
    await action()
    if (done) tell(done)
    return true
  } catch (error) {
    tell(describeProblem(error), 'bad')
    return false
  }
}

export const Notices = () => (
  <div class="notices" role="status">
    {notices.value.map(({ id, text, tone }) => (
      <p key={id} class={`notice ${tone}`}>
        {text}
      </p>
    ))}
  </div>
)

interface Question {
  title: string
  text: string
  /** The label of the button that agrees. */
  action: string
  answer(agrees: boolean): void
}

const question = signal<Question | null>(null)

/** Asks before something that cannot be undone. */
export function confirm(asked: Omit<Question, 'answer'>): Promise<boolean> {
  return new Promise((resolve) => {
    question.value = {
      ...asked,
      answer(agrees) {
        question.value = null
        resolve(agrees)
      },
    }
  })
}

export function Questions() {
  const dialog = useRef<HTMLDialogElement>(null)
  const asked = question.value
  useEffect(() => {
    if (asked) dialog.current?.showModal()
    else dialog.current?.close()
  }, [asked])
  return (
    <dialog ref={dialog} class="question" aria-labelledby="question" onClose={() => asked?.answer(false)}>
      <h2 id="question">{asked?.title}</h2>
      <p>{asked?.text}</p>
      <div class="row">
        <button type="button" onClick={() => asked?.answer(false)}>
          {t('Cancel')}
        </button>
        <button type="button" class="danger" onClick={() => asked?.answer(true)}>
          {asked?.action}
        </button>
      </div>
    </dialog>
  )
}
