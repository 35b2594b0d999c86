/** How much waits for those who decide, for the menu and the queue. */
import { signal } from '@preact/signals'
import { keep, readKept } from '../kept.ts'
import { api, may, session } from './session.ts'

export const waitingResults = ['OPERATOR_REQUIRED', 'DECLINED', 'FAILED'] as const
type WaitingResult = (typeof waitingResults)[number]

const storageKey = 'vivace-queue'
const lookMs = 60_000

const findChosen = (): readonly WaitingResult[] => {
  const kept = (readKept('localStorage', storageKey) ?? '').split(',')
  const chosen = waitingResults.filter((result) => kept.includes(result))
  return chosen.length > 0 ? chosen : ['OPERATOR_REQUIRED']
}

/** The results that this person wants to see in the queue. */
export const chosenResults = signal<readonly WaitingResult[]>(findChosen())

export function chooseResult(result: WaitingResult, isChosen: boolean): void {
  const now = chosenResults.peek()
  const next = waitingResults.filter((one) => (one === result ? isChosen : now.includes(one)))
  chosenResults.value = next.length > 0 ? next : ['OPERATOR_REQUIRED']
  keep('localStorage', storageKey, chosenResults.peek().join())
}

/** Analyses that wait; `null` if it is not known, or not for this person. */
export const waitingCount = signal<number | null>(null)

export async function countWaiting(): Promise<void> {
  if (!session.peek() || !may('read', 'queue')) {
    waitingCount.value = null
    return
  }
  const query = { resolution: chosenResults.peek().join(), limit: 0 }
  // The next look tells more.
  const queue = await api('GET /api/queue', { query }).catch(() => null)
  if (queue) waitingCount.value = queue.analyses_count
}

session.subscribe(() => void countWaiting())
setInterval(() => {
  if (document.visibilityState === 'visible') void countWaiting()
}, lookMs)

/** Takes the next folder of the queue. @returns its id; `null` if none waits */
export async function takeNext(after: string | null): Promise<string | null> {
  const entry = await api('POST /api/queue/next', {
    body: { after, resolution: [...chosenResults.peek()] },
  })
  return entry?.folder_id ?? null
}
