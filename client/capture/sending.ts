/** Sends what was captured: progress, the verdict, and what can be done when it does not come. */
import type { Folder } from '../answers.ts'
import type { Progress } from '../transport.ts'
import { isDocument } from './describe-capture.ts'
import type { CaptureDetails, Whereabouts } from './events.ts'
import type { Stage } from './stage.ts'
import type { Delivery } from './submit.ts'
import type { TextKey } from './texts.ts'
import { isSpent, mayPassLater, textOfError, textOfFailure, verdictOf } from './trouble.ts'
import type { Phase, Verdict } from './view.ts'

/** What the element does for the sending. */
export interface Sender {
  readonly stage: Stage
  /** Whether the verdict is left to the page. */
  isQuiet(): boolean
  /** @returns a signal that aborts when the state ends */
  enter(phase: Phase): AbortSignal
  finish(verdict: Verdict, title: TextKey, text: TextKey): void
  fail(error: unknown, key?: TextKey, title?: TextKey): void
  report(error: unknown, message: string, whereabouts: Whereabouts): void
  restart(): void
  /** @returns whether the page lets the element go on */
  emit<Name extends keyof CaptureDetails>(name: Name, detail: CaptureDetails[Name]): boolean
}

/** The server has the capture, and only the verdict is missing: sending it again would make a second folder. */
function offerLook(sender: Sender, delivery: Delivery, error: unknown): void {
  const { stage } = sender
  const { folderId } = delivery
  if (!mayPassLater(error)) {
    sender.finish('waiting', 'waiting', 'waitingText')
    sender.report(error, stage.say('waitingText'), { isKept: false, folderId })
    return
  }
  sender.enter('failed')
  stage.showVerdict('failed', 'noResult', 'arrived', textOfError(error))
  stage.offer({ text: 'lookAgain', isMain: true, run: () => void deliver(sender, delivery) })
  const message = `${stage.say('noResult')}. ${stage.say('arrived')} ${stage.say(textOfError(error))}`
  sender.report(error, message, { isKept: true, folderId })
}

/** Nothing is wrong with the capture: it is kept, and can be sent again. */
function offerAgain(sender: Sender, delivery: Delivery, error: unknown): void {
  const { stage } = sender
  sender.enter('failed')
  stage.showVerdict('failed', 'unsent', textOfError(error), 'kept')
  stage.offer(
    { text: 'startOver', run: () => sender.restart() },
    { text: 'sendAgain', isMain: true, run: () => void deliver(sender, delivery) },
  )
  const message = `${stage.say('unsent')}. ${stage.say(textOfError(error))} ${stage.say('kept')}`
  sender.report(error, message, { isKept: true, folderId: null })
}

/** A person cannot choose how long a challenge takes. */
const slowness = ({ captures }: Delivery, error: unknown): TextKey | undefined =>
  textOfError(error) === 'tooLong' && captures.some(({ evidence }) => evidence?.steps?.length)
    ? 'tooSlow'
    : undefined

function showTrouble(sender: Sender, delivery: Delivery, error: unknown): void {
  if (delivery.folderId !== null) offerLook(sender, delivery, error)
  else if (mayPassLater(error)) offerAgain(sender, delivery, error)
  else if (delivery.isUnsure && isSpent(error)) sender.fail(error, 'unconfirmedText', 'unconfirmed')
  else sender.fail(error, slowness(delivery, error))
}

function showResult(sender: Sender, { captures, envelope }: Delivery, folder: Folder): void {
  const verdict = verdictOf(folder)
  const failed = folder.analyses?.find(({ state }) => state === 'FAILED') ?? null
  if (sender.isQuiet()) sender.finish('waiting', 'waiting', 'waitingText')
  else if (verdict === 'failed') sender.finish('failed', 'unchecked', textOfFailure(failed))
  else if (verdict === 'declined')
    sender.finish('declined', 'declined', captures.every(isDocument) ? 'declinedDocument' : 'declinedText')
  else sender.finish(verdict, verdict, verdict === 'passed' ? 'passedText' : 'waitingText')
  sender.emit('result', { folder, verdict, isSealed: envelope.session !== null })
}

/** Sends captures, or looks for the verdict of those that have arrived, and shows how it ends. */
export async function deliver(sender: Sender, delivery: Delivery): Promise<void> {
  const { stage } = sender
  const signal = sender.enter('sending')
  const setProgress = stage.showBusy(delivery.folderId === null ? 'sending' : 'checking')
  const onProgress = ({ loaded, total }: Progress): void => {
    const share = total > 0 ? loaded / total : 1
    sender.emit('progress', { loaded, total })
    const percent = Math.round(share * 100)
    setProgress(share, share < 1 ? stage.say('sendingShare', { percent }) : stage.say('checking'))
  }
  try {
    const folder = await delivery.run({ signal, onProgress })
    if (!signal.aborted) showResult(sender, delivery, folder)
  } catch (error) {
    if (!signal.aborted) showTrouble(sender, delivery, error)
  }
}
