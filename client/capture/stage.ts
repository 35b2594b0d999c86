/** The stage of the element: its words, its buttons, and what screen readers hear. */
import type { Advice } from './guidance.ts'
import type { Outline, Step } from './step.ts'
import { chooseLanguage, fillText, type TextKey, type Texts, textsOf } from './texts.ts'
import { type Phase, type Verdict, View } from './view.ts'

/** Screen readers repeat advice no more often. */
const announceEveryMs = 2500

/** A button of a state. */
export interface Choice {
  text: TextKey
  /** The one that leads on; it gets the focus. */
  isMain?: boolean
  isShutter?: boolean
  run(): void
}

/** The element that the stage belongs to. */
type Host = HTMLElement & { readonly texts: Partial<Texts> }

export class Stage {
  readonly view: View
  readonly #host: Host
  /** The button that was pressed is gone when the next ones are shown. */
  #hadFocus = false
  #announcedMs = 0

  constructor(host: Host, root: ShadowRoot) {
    this.#host = host
    this.view = new View(root)
  }

  /** The words in the language of the page, or in the first one of the browser that is shipped. */
  get words(): Texts {
    const marked = this.#host.closest<HTMLElement>('[lang]')?.lang
    return textsOf(chooseLanguage([...(marked ? [marked] : []), ...navigator.languages]), this.#host.texts)
  }

  say(key: TextKey, values: Record<string, string | number> = {}): string {
    return fillText(this.words[key], values)
  }

  /** Begins a state: everything of the one before goes. */
  begin(phase: Phase, outline: Outline, title: TextKey): void {
    if (phase !== 'review') this.view.replay(null, '')
    this.view.show(phase, outline, this.say(title))
  }

  /** Shows the buttons of a state. */
  offer(...choices: Choice[]): void {
    const actions = choices.map(({ text, run, ...kind }) => ({
      ...kind,
      text: this.say(text),
      run: () => {
        this.#hadFocus = true
        run()
      },
    }))
    const host = this.#host
    const hasFocus = host.shadowRoot?.activeElement != null || document.activeElement === host
    this.view.setActions(actions, hasFocus || this.#hadFocus)
    this.#hadFocus = false
  }

  showIntro({ outline, title, intro }: Step): void {
    this.view.showIntro(outline, this.say(title), this.say(intro))
  }

  /** Tells what comes before it does. */
  showNotice(title: TextKey, text: TextKey, values: Record<string, string | number> = {}): void {
    const words = [this.say(title), this.say(text, values)] as const
    this.view.showNotice(...words)
    this.view.announce(words.join('. '))
  }

  /** Advice of the camera, which changes several times a second. */
  showAdvice(advice: Advice, outline: Outline): void {
    const now = performance.now()
    // Nothing looks for a document.
    const shown = advice === 'good' && outline === 'document' ? 'document' : advice
    this.view.advise(this.say(shown), shown === 'good' ? 'good' : 'plain')
    if (now - this.#announcedMs <= announceEveryMs) return
    this.#announcedMs = now
    this.view.announce(this.say(shown))
  }

  /** Shows what was captured, and asks whether it is good. */
  showReview(blob: Blob, { review }: Step): void {
    const question = this.say(review)
    this.view.replay(blob, question)
    this.view.advise(question)
    this.view.announce(question)
  }

  /** Something takes its time. @returns a function that sets its share and its text */
  showBusy(key: TextKey): (share: number, text: string) => void {
    const text = this.say(key)
    this.view.announce(text)
    return this.view.showSending(text)
  }

  showVerdict(verdict: Verdict, title: TextKey, ...texts: TextKey[]): void {
    this.view.showVerdict(verdict, this.say(title), texts.map((key) => this.say(key)).join(' '))
  }
}
