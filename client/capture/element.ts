/** `<vivace-capture>`: captures a photo or a clip of a face, sends it, and tells the verdict. See docs/capture.md. */
import type { Folder } from '../answers.ts'
import { type Client, createClient } from '../call.ts'
import type { JsonObject } from '../operations.ts'
import type { Progress } from '../transport.ts'
import {
  closeCamera,
  deviceOf,
  isMirrored,
  listCameras,
  openCamera,
  orientationTag,
  takePhoto,
} from './camera.ts'
import { CameraChoice, type Facing } from './camera-choice.ts'
import { CameraError } from './camera-error.ts'
import style from './capture.css'
import { type CaptureSession, openCaptureSession, type Sealing } from './capture-session.ts'
import {
  type Capture,
  type CaptureMode,
  describeCapture,
  gestureTags,
  isDocument,
  readWords,
} from './describe-capture.ts'
import type { Advice } from './guidance.ts'
import { type Clip, canRecord, planScenes, recordClip, type Scene } from './recorder.ts'
import { Delivery } from './submit.ts'
import { chooseLanguage, fillText, type TextKey, type Texts, textsOf } from './texts.ts'
import { codeOfError, isSpent, mayPassLater, textOfError, textOfFailure, verdictOf } from './trouble.ts'
import { type Action, type Outline, type Phase, type Verdict, View } from './view.ts'
import { watchCamera } from './watch.ts'

/** Screen readers repeat advice no more often. */
const announceEveryMs = 2500
/** How long the picture must be good before a capture starts by itself. */
const steadyMs = 1200

const sheet = (() => {
  let made: CSSStyleSheet | null = null
  return () => {
    if (made) return made
    made = new CSSStyleSheet()
    made.replaceSync(style)
    return made
  }
})()

/** Where the script came from. Bundles and plain scripts do not know it. */
const scriptOrigin = (): string | undefined => {
  const address: string | undefined = import.meta.url
  return address?.startsWith('http') ? new URL(address).origin : undefined
}

export class VivaceCapture extends HTMLElement {
  static readonly observedAttributes = ['lang', 'mode', 'gesture']

  /** Words that replace the shipped ones. */
  texts: Partial<Texts> = {}
  /** Metadata of the folder. */
  metadata: JsonObject = {}
  /** Analyses to run; `null` for the one that fits the capture: `documents` for a document, else `quality`. */
  analyses: readonly { type: string; params?: object }[] | null = null
  /** Makes the calls; by default a client of the attributes `server` and `token`. */
  client: Client | null = null

  readonly #view: View
  #phase: Phase = 'intro'
  #stream: MediaStream | null = null
  readonly #cameras = new CameraChoice(openCamera)
  #session: CaptureSession | null = null
  #captured: Capture | null = null
  #stopWatch: (() => void) | null = null
  /** Ends what the current state has begun. */
  #work = new AbortController()
  /** Ends the change to a camera when another one is chosen. */
  #change = new AbortController()
  #goodSinceMs: number | null = null
  #announcedMs = 0

  constructor() {
    super()
    const root = this.attachShadow({ mode: 'open' })
    root.adoptedStyleSheets = [sheet()]
    this.#view = new View(root)
  }

  connectedCallback(): void {
    this.#showIntro()
  }

  disconnectedCallback(): void {
    this.#halt()
  }

  attributeChangedCallback(): void {
    if (this.isConnected && this.#phase === 'intro') this.#showIntro()
  }

  /** The state, for pages and tests. */
  get phase(): Phase {
    return this.#phase
  }

  get #mode(): CaptureMode {
    const mode = this.getAttribute('mode')
    return mode === 'photo' || mode === 'document' ? mode : 'clip'
  }

  get #outline(): Outline {
    return this.#mode === 'document' ? 'document' : 'face'
  }

  get #facing(): Facing {
    return this.#mode === 'document' ? 'environment' : 'user'
  }

  get #words(): Texts {
    const marked = this.closest<HTMLElement>('[lang]')?.lang
    return textsOf(chooseLanguage(marked ? [marked] : navigator.languages), this.texts)
  }

  #say(key: TextKey, values: Record<string, string | number> = {}): string {
    return fillText(this.#words[key], values)
  }

  #openClient(): Client {
    const url = this.getAttribute('server') ?? scriptOrigin()
    return (
      this.client ??
      createClient({ ...(url === undefined ? {} : { url }), token: this.getAttribute('token') })
    )
  }

  /** Starts the camera, as the start button does. */
  async start(): Promise<void> {
    this.#enter('opening')
    this.#view.showSending(this.#say('asking'))
    this.#view.announce(this.#say('asking'))
    const { signal } = this.#work
    const opening = this.#cameras.open(this.#facing)
    try {
      const [session, stream] = await Promise.all([this.#openSession(), opening])
      if (signal.aborted) return closeCamera(stream)
      this.#session = session
      await this.#useStream(stream)
      if (!signal.aborted) this.#frame()
    } catch (error) {
      // Without a session there is nothing to capture for; the camera may still be opening.
      opening.then(closeCamera, () => {})
      if (!signal.aborted) this.#fail(error)
    }
  }

  /** Ends the capture and shows the beginning again. */
  reset(): void {
    this.#showIntro()
  }

  /** Sends captures that the page has collected, as the element sends its own: `result` or `error` tells how it ends. */
  send(captures: readonly Capture[], session: CaptureSession | null = null): void {
    const delivery = new Delivery(this.#openClient(), captures, {
      destination: this.getAttribute('destination') === 'folders' ? 'folders' : 'instant',
      analyses: this.analyses,
      metadata: this.metadata,
      session,
    })
    void this.#deliver(delivery)
  }

  /** Begins anew after a verdict or a failure, unless the page does it. */
  #restart(): void {
    if (this.#emit('restart', {}, true)) this.#showIntro()
  }

  #openSession(): Promise<CaptureSession | null> {
    const value = this.getAttribute('seal')
    const sealing: Sealing = value === 'always' || value === 'never' ? value : 'auto'
    return openCaptureSession(this.#openClient(), sealing, this.getAttribute('session-token'))
  }

  /** Gestures to perform: those of the session token, or those that the page asks for. */
  get #gestures(): readonly string[] {
    if (this.#session && this.#session.gestures.length > 0) return this.#session.gestures
    const names = readWords(this.getAttribute('gesture'))
    // What this page cannot show is not asked for.
    return names.filter((name) => name !== 'blank' && gestureTags.has(name) && name in this.#words)
  }

  async #useStream(stream: MediaStream): Promise<void> {
    closeCamera(this.#stream)
    this.#stream = stream
    const { video } = this.#view
    video.srcObject = stream
    // Text in a mirror cannot be read.
    this.#view.mirror(this.#outline === 'face' && isMirrored(stream))
    stream.getVideoTracks()[0]?.addEventListener('ended', () => {
      if (this.#stream !== stream) return
      // What was captured is good without the camera.
      if (this.#phase === 'review') this.#stream = null
      else this.#fail(new CameraError('cameraBusy'))
    })
    await video.play()
  }

  /** Begins a state and ends the one before. */
  #enter(phase: Phase): void {
    this.#work.abort()
    this.#work = new AbortController()
    this.#stopWatch?.()
    this.#stopWatch = null
    this.#goodSinceMs = null
    this.#phase = phase
    if (phase !== 'review') this.#view.replay(null, '')
    this.#view.show(phase, this.#outline, this.#title)
  }

  #halt(): void {
    this.#work.abort()
    this.#stopWatch?.()
    closeCamera(this.#stream)
    this.#stream = null
    this.#view.video.srcObject = null
    this.#view.mirror(false)
    this.#captured = null
    this.#session = null
    this.#view.replay(null, '')
  }

  get #title(): string {
    return this.#say(
      this.#mode === 'clip' ? 'titleClip' : this.#mode === 'photo' ? 'titlePhoto' : 'titleDocument',
    )
  }

  #act(...actions: Action[]): void {
    this.#view.setActions(
      actions,
      this.shadowRoot?.activeElement != null || document.activeElement === this || this.#hadFocus,
    )
    this.#hadFocus = false
  }

  /** The button that was pressed is gone when the next ones are shown. */
  #hadFocus = false

  #press(run: () => void): () => void {
    return () => {
      this.#hadFocus = true
      run()
    }
  }

  #showIntro(): void {
    this.#halt()
    this.#enter('intro')
    const intro =
      this.#mode === 'clip' ? 'introClip' : this.#mode === 'photo' ? 'introPhoto' : 'introDocument'
    this.#view.showIntro(this.#outline, this.#title, this.#say(intro))
    this.#act({ text: this.#say('start'), isMain: true, run: this.#press(() => void this.start()) })
  }

  /** The camera runs, and the page says what to change. */
  #frame(): void {
    this.#enter('framing')
    const isClip = this.#mode === 'clip'
    const key = isClip ? 'record' : 'takePhoto'
    this.#act({
      text: this.#say(key),
      isMain: true,
      isShutter: true,
      run: this.#press(() => void this.#take()),
    })
    void this.#offerCameras()
    if (this.#outline === 'face') this.#showAdvice('centre')
    this.#stopWatch = watchCamera(this.#view.video, this.#outline, (advice) => this.#showAdvice(advice))
  }

  async #offerCameras(): Promise<void> {
    const { signal } = this.#work
    const cameras = await listCameras().catch(() => [])
    if (signal.aborted || cameras.length < 2) return
    const names = cameras.map(({ deviceId, label }, i) => ({
      id: deviceId,
      name: label || `${this.#say('camera')} ${i + 1}`,
    }))
    this.#view.addCameras(
      this.#say('camera'),
      names,
      deviceOf(this.#stream) ?? '',
      (id) => void this.#changeCamera(id),
    )
  }

  async #changeCamera(deviceId: string): Promise<void> {
    this.#change.abort()
    this.#change = new AbortController()
    const signals = [this.#work.signal, this.#change.signal]
    const isOver = () => signals.some(({ aborted }) => aborted)
    this.#cameras.choose(deviceId, this.#facing)
    // Many phones run only one camera at a time.
    closeCamera(this.#stream)
    this.#stream = null
    try {
      const stream = await this.#cameras.open(this.#facing)
      if (isOver()) return closeCamera(stream)
      await this.#useStream(stream)
      // The chosen one may be gone.
      if (!isOver()) this.#view.selectCamera(deviceOf(stream) ?? deviceId)
    } catch (error) {
      if (!isOver()) this.#fail(error)
    }
  }

  #showAdvice(advice: Advice): void {
    if (this.#phase !== 'framing') return
    const now = performance.now()
    const isGood = advice === 'good'
    this.#view.advise(this.#say(advice), isGood ? 'good' : 'plain')
    if (now - this.#announcedMs > announceEveryMs) {
      this.#announcedMs = now
      this.#view.announce(this.#say(advice))
    }
    this.#goodSinceMs = isGood ? (this.#goodSinceMs ?? now) : null
    if (isGood && this.hasAttribute('auto-start') && now - this.#goodSinceMs! > steadyMs) void this.#take()
  }

  async #take(): Promise<void> {
    const { video } = this.#view
    // While another camera opens there is nothing to capture.
    if (!this.#stream) return
    const isClip = this.#mode === 'clip'
    if (isClip && !canRecord()) {
      this.#halt()
      return this.#offerFile('cameraBusy')
    }
    if (isClip) this.#enter('recording')
    const { signal } = this.#work
    const size = orientationTag(video.videoWidth, video.videoHeight)
    try {
      const { blob, evidence } = isClip
        ? await this.#record(this.#stream, signal)
        : { blob: await takePhoto(video), evidence: null }
      if (!signal.aborted) this.#review(this.#describe(blob, size, evidence))
    } catch (error) {
      if (!signal.aborted) this.#fail(error)
    }
  }

  async #record(stream: MediaStream, signal: AbortSignal): Promise<Clip> {
    const gestures = this.#gestures
    const scenes = planScenes(gestures)
    this.#act({ text: this.#say('retake'), isMain: false, run: this.#press(() => this.#frame()) })
    const startMs = performance.now()
    const totalMs = scenes.reduce((sum, { ms }) => sum + ms, 0)
    const timer = setInterval(
      () => this.#view.showProgress(Math.min(1, (performance.now() - startMs) / totalMs)),
      50,
    )
    const onScene = ({ gesture }: Scene, index: number): void => {
      const text = gesture === null ? this.#say('recording') : this.#say(gesture as TextKey)
      const step = gesture === null ? '' : `${this.#say('step', { step: index, steps: gestures.length })}. `
      this.#view.advise(text, gesture === null ? 'plain' : 'loud')
      this.#view.announce(step + text)
    }
    try {
      return await recordClip({ video: this.#view.video, stream, scenes, onScene, signal })
    } finally {
      clearInterval(timer)
    }
  }

  #describe(blob: Blob, orientation: string | null, evidence: Clip['evidence'] | null = null): Capture {
    const [tags, gesture] = [this.getAttribute('tags'), this.getAttribute('gesture')]
    return describeCapture({ blob, mode: this.#mode, tags, gesture, orientation, evidence })
  }

  #review(capture: Capture): void {
    this.#captured = capture
    this.#enter('review')
    const question = this.#say(this.#mode === 'document' ? 'reviewDocument' : 'review')
    this.#view.replay(capture.blob, question)
    this.#view.advise(question)
    this.#view.announce(question)
    this.#act(
      {
        text: this.#say('retake'),
        run: this.#press(() => (this.#stream ? this.#frame() : this.#showIntro())),
      },
      { text: this.#say('send'), isMain: true, run: this.#press(() => this.#submit()) },
    )
  }

  #submit(): void {
    const isWanted = this.#emit('capture', { ...this.#captured!, session: this.#session }, true)
    closeCamera(this.#stream)
    this.#stream = null
    // A page that collects captures itself sends them itself.
    if (isWanted) this.send([this.#captured!], this.#session)
    else this.#finish('waiting', 'waiting', 'waitingText')
  }

  async #deliver(delivery: Delivery): Promise<void> {
    this.#enter('sending')
    const { signal } = this.#work
    const begin = this.#say(delivery.folderId === null ? 'sending' : 'checking')
    const setProgress = this.#view.showSending(begin)
    this.#view.announce(begin)
    const onProgress = ({ loaded, total }: Progress): void => {
      const share = total > 0 ? loaded / total : 1
      this.#emit('progress', { loaded, total })
      const percent = Math.round(share * 100)
      setProgress(share, share < 1 ? this.#say('sendingShare', { percent }) : this.#say('checking'))
    }
    try {
      const folder = await delivery.run({ signal, onProgress })
      if (!signal.aborted) this.#showResult(folder, delivery)
    } catch (error) {
      if (!signal.aborted) this.#showTrouble(error, delivery)
    }
  }

  #showTrouble(error: unknown, delivery: Delivery): void {
    if (delivery.folderId !== null) this.#offerLook(error, delivery)
    else if (mayPassLater(error)) this.#offerAgain(error, delivery)
    else if (delivery.isUnsure && isSpent(error)) this.#fail(error, 'unconfirmedText', 'unconfirmed')
    else this.#fail(error)
  }

  /** The server has the capture, and only the verdict is missing: sending it again would make a second folder. */
  #offerLook(error: unknown, delivery: Delivery): void {
    const { folderId } = delivery
    if (!mayPassLater(error)) {
      this.#finish('waiting', 'waiting', 'waitingText')
      this.#report(error, this.#say('waitingText'), { isKept: false, folderId })
      return
    }
    this.#enter('failed')
    const text = `${this.#say('arrived')} ${this.#say(textOfError(error))}`
    this.#view.showVerdict('failed', this.#say('noResult'), text)
    this.#act({
      text: this.#say('lookAgain'),
      isMain: true,
      run: this.#press(() => void this.#deliver(delivery)),
    })
    this.#report(error, `${this.#say('noResult')}. ${text}`, { isKept: true, folderId })
  }

  /** Nothing is wrong with the capture: it is kept, and can be sent again. */
  #offerAgain(error: unknown, delivery: Delivery): void {
    this.#enter('failed')
    const text = `${this.#say(textOfError(error))} ${this.#say('kept')}`
    this.#view.showVerdict('failed', this.#say('unsent'), text)
    this.#act(
      { text: this.#say('startOver'), run: this.#press(() => this.#restart()) },
      { text: this.#say('sendAgain'), isMain: true, run: this.#press(() => void this.#deliver(delivery)) },
    )
    this.#report(error, `${this.#say('unsent')}. ${text}`, { isKept: true, folderId: null })
  }

  #report(error: unknown, message: string, state: { isKept: boolean; folderId: string | null }): void {
    this.#view.announce(message)
    this.#emit('error', { code: codeOfError(error), message, ...state, error })
  }

  #showResult(folder: Folder, { captures, envelope }: Delivery): void {
    const verdict = verdictOf(folder)
    const failed = folder.analyses?.find(({ state }) => state === 'FAILED')
    if (this.hasAttribute('quiet')) this.#finish('waiting', 'waiting', 'waitingText')
    else if (verdict === 'failed')
      this.#finish('failed', 'declined', textOfFailure(failed ?? { error_code: null }))
    else if (verdict === 'declined')
      this.#finish('declined', 'declined', captures.every(isDocument) ? 'declinedDocument' : 'declinedText')
    else this.#finish(verdict, verdict, verdict === 'passed' ? 'passedText' : 'waitingText')
    this.#emit('result', { folder, verdict, isSealed: envelope.session !== null })
  }

  #finish(verdict: Verdict, title: TextKey, text: TextKey): void {
    this.#enter('done')
    this.#captured = null
    this.#session = null
    this.#view.showVerdict(verdict, this.#say(title), this.#say(text))
    this.#view.announce(`${this.#say(title)}. ${this.#say(text)}`)
    const again = { text: this.#say('retake'), isMain: true, run: this.#press(() => this.#restart()) }
    if (verdict === 'declined' || verdict === 'failed') this.#act(again)
    else this.#act()
  }

  #fail(error: unknown, key = textOfError(error), title: TextKey = 'declined'): void {
    this.#halt()
    if (key === 'noCamera' || key === 'cameraDenied' || key === 'cameraBusy') this.#offerFile(key)
    else {
      this.#enter('failed')
      this.#view.showVerdict('failed', this.#say(title), this.#say(key))
      this.#act({ text: this.#say('retake'), isMain: true, run: this.#press(() => this.#restart()) })
    }
    this.#report(error, this.#say(key), { isKept: false, folderId: null })
  }

  /** Without a camera in the page, the device's own camera program or a file will do. */
  #offerFile(key: TextKey): void {
    this.#enter('failed')
    const isClip = this.#mode === 'clip'
    this.#view.showVerdict('failed', this.#title, this.#say(key))
    this.#act({ text: this.#say('retake'), run: this.#press(() => void this.start()) })
    const choose = (file: File): void => void this.#takeFile(file)
    this.#view.addFileButton(
      this.#say(isClip ? 'chooseClip' : 'choosePhoto'),
      isClip ? 'video/*' : 'image/*',
      this.#facing,
      choose,
      this.matches(':focus-within'),
    )
  }

  async #takeFile(file: File): Promise<void> {
    const { signal } = this.#work
    try {
      // A file has no evidence, so a challenge of the session token stays open.
      const session = await this.#openSession()
      if (signal.aborted) return
      this.#session = session
      this.#review(this.#describe(file, null))
    } catch (error) {
      if (!signal.aborted) this.#fail(error)
    }
  }

  /** @returns whether the page lets the element go on */
  #emit(name: string, detail: object, cancelable = false): boolean {
    return this.dispatchEvent(new CustomEvent(name, { detail, cancelable }))
  }
}

/** Defines `<vivace-capture>`, once. */
export function defineCapture(): void {
  if (!customElements.get('vivace-capture')) customElements.define('vivace-capture', VivaceCapture)
}
