/** `<vivace-capture>`: captures a photo or a clip of a face, sends it, and tells the verdict. See docs/capture.md. */
import { type Client, createClient } from '../call.ts'
import type { JsonObject } from '../operations.ts'
import type { ChallengeStep } from '../seal.ts'
import { closeCamera, isMirrored, listCameras, orientationTag, takePhoto } from './camera.ts'
import { CameraError } from './camera-error.ts'
import style from './capture.css'
import { type CaptureSession, openCaptureSession, type Sealing } from './capture-session.ts'
import { lightMs, wantsSoftLight } from './challenge/colours-step.ts'
import { firstWidth, isLight, shownSteps } from './challenge/registry.ts'
import { type Capture, describeCapture, readWords } from './describe-capture.ts'
import { readDestination } from './destination.ts'
import type { CaptureDetails, Whereabouts } from './events.ts'
import { isOutshone } from './exposure.ts'
import { FaceFinder } from './face-finder.ts'
import type { Advice } from './guidance.ts'
import { LiveCamera } from './live-camera.ts'
import { recordStep } from './record-step.ts'
import { recordedType } from './recorded-type.ts'
import type { Clip } from './recorder.ts'
import { deliver, type Sender } from './sending.ts'
import { readConfig } from './server-config.ts'
import { Stage } from './stage.ts'
import { widthOnStage } from './stage-part.ts'
import { type Step, stepOfMode } from './step.ts'
import { Delivery } from './submit.ts'
import type { TextKey, Texts } from './texts.ts'
import { codeOfError, textOfError, titleOfError } from './trouble.ts'
import type { Phase, Verdict } from './view.ts'
import { watchCamera } from './watch.ts'

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

/** Servers that render pages load this module too, and have no elements. */
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement)

export class VivaceCapture extends Base {
  static readonly observedAttributes = ['lang', 'mode', 'gesture']

  /** Words that replace the shipped ones. */
  texts: Partial<Texts> = {}
  /** Metadata of the folder. */
  metadata: JsonObject = {}
  /** Analyses to run; `null` for those that fit the tags: `documents` for a document, else `quality`. */
  analyses: readonly { type: string; params?: object }[] | null = null
  /** Whether the answer shows how the result came about, in `technical_meta_data.detail`. */
  detail = false
  /** What the person does in front of the camera, for captures that the page seals; `null` for the steps of the session token. */
  steps: readonly ChallengeStep[] | null = null
  /** Makes the calls; by default a client of the attributes `server` and `token`. */
  client: Client | null = null

  readonly #stage: Stage
  readonly #camera: LiveCamera
  readonly #faces = new FaceFinder()
  readonly #sender: Sender
  #phase: Phase = 'intro'
  #session: CaptureSession | null = null
  #stopWatch: (() => void) | null = null
  /** Ends what the current state has begun. */
  #work = new AbortController()
  #goodSinceMs: number | null = null
  /** Whether the screen may light the face; `null` until the person has chosen. */
  #wantsLight: boolean | null = null

  constructor() {
    super()
    const root = this.attachShadow({ mode: 'open' })
    root.adoptedStyleSheets = [sheet()]
    const stage = new Stage(this, root)
    this.#stage = stage
    this.#camera = new LiveCamera(stage.view.video, {
      // Text in a mirror cannot be read.
      onStream: (stream) => stage.view.mirror(this.#step.outline === 'face' && isMirrored(stream)),
      onLost: () => {
        // What was captured is good without the camera.
        if (this.#phase !== 'review') this.#fail(new CameraError('cameraBusy'))
      },
    })
    this.#sender = {
      stage,
      isQuiet: () => this.hasAttribute('quiet'),
      enter: (phase) => this.#enter(phase),
      finish: (...words) => this.#finish(...words),
      fail: (...words) => this.#fail(...words),
      report: (...words) => this.#report(...words),
      restart: () => this.#restart(),
      emit: (...words) => this.#emit(...words),
    }
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

  get #step(): Step {
    return stepOfMode(this.getAttribute('mode'))
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
    if (this.#step.mode === 'clip' && recordedType() === null) {
      this.#fail(new CameraError('noRecorder'))
      return
    }
    const signal = this.#enter('opening')
    this.#wantsLight = null
    this.#stage.showBusy('asking')
    const opening = this.#camera.open(this.#step.facing)
    try {
      const [session, stream] = await Promise.all([this.#openSession(), opening])
      if (signal.aborted) return closeCamera(stream)
      this.#session = session
      await this.#camera.show(stream)
      if (signal.aborted) return
      if (this.#step.outline === 'face') this.#faces.open(this.#origin)
      this.#prepare()
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
      destination: readDestination(this.getAttribute('destination')),
      analyses: this.analyses,
      detail: this.detail,
      metadata: this.metadata,
      session,
    })
    void deliver(this.#sender, delivery)
  }

  #openSession(): Promise<CaptureSession | null> {
    const value = this.getAttribute('seal')
    const sealing: Sealing = value === 'always' || value === 'never' ? value : 'auto'
    const given = this.getAttribute('session-token')
    const destination = readDestination(this.getAttribute('destination'))
    return openCaptureSession(this.#openClient(), sealing, given, destination)
  }

  /** The server with the files of the script. */
  get #origin(): string {
    return new URL(scriptOrigin() ?? this.getAttribute('server') ?? location.origin, location.href).origin
  }

  get #given(): readonly ChallengeStep[] {
    return this.steps ?? this.#session?.steps ?? []
  }

  /** What the person does in front of the camera: the steps of the session token, or those that the page asks for. */
  get #challenge(): readonly ChallengeStep[] {
    if (this.#step.mode !== 'clip') return []
    const given = this.#given
    if (given.length > 0) return shownSteps(given)
    return shownSteps(
      readWords(this.getAttribute('gesture')).map((gesture) => ({ type: 'gesture', gesture })),
    )
  }

  /** Begins a state and ends the one before. @returns a signal that aborts when the state ends */
  #enter(phase: Phase): AbortSignal {
    this.#work.abort()
    this.#work = new AbortController()
    this.#stopWatch?.()
    this.#stopWatch = null
    this.#goodSinceMs = null
    this.#phase = phase
    this.#stage.begin(phase, this.#step.outline, this.#step.title)
    return this.#work.signal
  }

  #halt(): void {
    this.#work.abort()
    this.#stopWatch?.()
    this.#camera.clear()
    this.#faces.close()
    this.#session = null
    this.#wantsLight = null
    this.#stage.view.mirror(false)
    this.#stage.view.replay(null, '')
  }

  #showIntro(): void {
    this.#halt()
    this.#enter('intro')
    this.#stage.showIntro(this.#step)
    this.#stage.offer({ text: 'start', isMain: true, run: () => void this.start() })
  }

  /** Begins anew after a verdict or a failure, unless the page does it. */
  #restart(): void {
    if (this.#emit('restart', {}, true)) this.#showIntro()
  }

  /** Tells of light before it comes. */
  #prepare(): void {
    const light = this.#challenge.find(isLight)
    if (!light || this.#wantsLight !== null) {
      this.#frame()
      return
    }
    this.#enter('notice')
    const seconds = Math.ceil(lightMs(light) / 1000)
    this.#stage.showNotice('lightTitle', wantsSoftLight() ? 'softLightText' : 'lightText', { seconds })
    const choose = (wantsLight: boolean): void => {
      this.#wantsLight = wantsLight
      this.#frame()
    }
    this.#stage.offer(
      { text: 'lightOff', run: () => choose(false) },
      { text: 'lightOn', isMain: true, run: () => choose(true) },
    )
  }

  /** The camera runs, and the page says what to change. */
  #frame(): void {
    this.#enter('framing')
    const { outline, shutter } = this.#step
    const width = this.#showOval()
    this.#stage.offer({ text: shutter, isMain: true, isShutter: true, run: () => void this.#take() })
    void this.#offerCameras()
    if (outline === 'face') this.#showAdvice('centre')
    const needsLight = this.#wantsLight === true
    this.#stopWatch = watchCamera(this.#stage.view.video, {
      outline,
      width,
      faces: this.#faces,
      isOutshone: () => needsLight && isOutshone(this.#camera.stream),
      onAdvice: (advice) => this.#showAdvice(advice),
    })
  }

  /** Shows how large the face should be at first. @returns its width as a share of the stage's; `null` for the usual one */
  #showOval(): number | null {
    const { view } = this.#stage
    const first = firstWidth(this.#challenge)
    const width = first === null ? null : widthOnStage(view.video, first)
    if (this.#step.outline === 'face') view.setOval(width)
    return width
  }

  async #offerCameras(): Promise<void> {
    const { signal } = this.#work
    const cameras = await listCameras().catch(() => [])
    if (signal.aborted || cameras.length < 2) return
    const label = this.#stage.say('camera')
    const names = cameras.map((camera, i) => ({
      id: camera.deviceId,
      name: camera.label || `${label} ${i + 1}`,
    }))
    const chosen = this.#camera.deviceId ?? ''
    this.#stage.view.addCameras(label, names, chosen, (id) => void this.#changeCamera(id))
  }

  async #changeCamera(deviceId: string): Promise<void> {
    const { signal } = this.#work
    try {
      const isOn = await this.#camera.change(deviceId, this.#step.facing, signal)
      // The chosen one may be gone, and another one in its place.
      if (isOn) this.#stage.view.selectCamera(this.#camera.deviceId ?? deviceId)
    } catch (error) {
      if (!signal.aborted) this.#fail(error)
    }
  }

  #showAdvice(advice: Advice): void {
    if (this.#phase !== 'framing') return
    this.#stage.showAdvice(advice, this.#step.outline)
    const now = performance.now()
    this.#goodSinceMs = advice === 'good' ? (this.#goodSinceMs ?? now) : null
    const isSteady = this.#goodSinceMs !== null && now - this.#goodSinceMs > steadyMs
    if (isSteady && this.hasAttribute('auto-start')) void this.#take()
  }

  async #take(): Promise<void> {
    const { video } = this.#stage.view
    const { stream } = this.#camera
    // While another camera opens there is nothing to capture.
    if (!stream) return
    const isClip = this.#step.mode === 'clip'
    const signal = isClip ? this.#enter('recording') : this.#work.signal
    const size = orientationTag(video.videoWidth, video.videoHeight)
    try {
      const { blob, evidence } = isClip
        ? await this.#record(stream, signal)
        : { blob: await takePhoto(video), evidence: null }
      if (!signal.aborted) this.#review(this.#describe(blob, size, evidence))
    } catch (error) {
      if (!signal.aborted) this.#fail(error)
    }
  }

  #record(stream: MediaStream, signal: AbortSignal): Promise<Clip> {
    this.#stage.offer({ text: 'retake', run: () => this.#frame() })
    const steps = this.#challenge
    this.#showOval()
    const [stage, faces, wantsLight] = [this.#stage, this.#faces, this.#wantsLight === true]
    return recordStep({ stage, stream, faces, steps, wantsLight, signal })
  }

  #describe(blob: Blob, orientation: string | null, evidence: Clip['evidence'] | null): Capture {
    const tags = this.getAttribute('tags')
    // Nobody was asked for the page's own gesture where a session token asks for other steps.
    const gesture = this.#given.length > 0 ? null : this.getAttribute('gesture')
    return describeCapture({ blob, mode: this.#step.mode, tags, gesture, orientation, evidence })
  }

  #review(capture: Capture): void {
    this.#enter('review')
    this.#stage.showReview(capture.blob, this.#step)
    this.#stage.offer(
      { text: 'retake', run: () => (this.#camera.stream ? this.#frame() : this.#showIntro()) },
      { text: 'send', isMain: true, run: () => this.#submit(capture) },
    )
  }

  #submit(capture: Capture): void {
    const session = this.#session
    const { signal } = this.#work
    const isWanted = this.#emit('capture', { ...capture, session }, true)
    this.#camera.close()
    this.#faces.close()
    // The page may have ended the capture.
    if (signal.aborted) return
    // A page that collects captures itself sends them itself.
    if (isWanted) this.send([capture], session)
    else this.#finish('waiting', 'waiting', 'waitingText')
  }

  #finish(verdict: Verdict, title: TextKey, text: TextKey): void {
    this.#enter('done')
    this.#session = null
    this.#stage.showVerdict(verdict, title, text)
    this.#stage.view.announce(`${this.#stage.say(title)}. ${this.#stage.say(text)}`)
    if (verdict === 'declined' || verdict === 'failed') this.#offerRestart()
    else this.#stage.offer()
  }

  #fail(error: unknown, key = textOfError(error), title = titleOfError(error)): void {
    this.#halt()
    if (error instanceof CameraError) this.#offerFile(key)
    else {
      this.#enter('failed')
      this.#stage.showVerdict('failed', title, key)
      this.#offerRestart()
    }
    this.#report(error, this.#stage.say(key), { isKept: false, folderId: null })
  }

  #offerRestart(): void {
    this.#stage.offer({ text: 'retake', isMain: true, run: () => this.#restart() })
  }

  #report(error: unknown, message: string, whereabouts: Whereabouts): void {
    this.#stage.view.announce(message)
    this.#emit('error', { code: codeOfError(error), message, ...whereabouts, error })
  }

  /** Without a camera in the page, the device's own camera program or a file will do. */
  #offerFile(key: TextKey): void {
    this.#enter('failed')
    const { title, choose, fileKind, facing } = this.#step
    this.#stage.showVerdict('failed', title, key)
    this.#stage.offer({ text: 'retake', run: () => void this.start() })
    const take = (file: File): void => void this.#takeFile(file)
    const hasFocus = this.matches(':focus-within')
    const all = `${fileKind}/*`
    const setTypes = this.#stage.view.addFileButton(this.#stage.say(choose), all, facing, take, hasFocus)
    void this.#offerTypes(fileKind, setTypes)
  }

  /** Of all types of a kind offers those that the server reads, once it has told them. */
  async #offerTypes(kind: Step['fileKind'], setTypes: (accept: string) => void): Promise<void> {
    // A server that cannot tell refuses what it does not read.
    const config = await readConfig(this.#openClient(), this.#work.signal).catch(() => null)
    const types = config?.accepted_types.filter((type) => type.startsWith(kind)) ?? []
    if (types.length > 0) setTypes(types.join())
  }

  async #takeFile(file: File): Promise<void> {
    const { signal } = this.#work
    try {
      // A file has no evidence, so a challenge of the session token stays open.
      const session = await this.#openSession()
      if (signal.aborted) return
      this.#session = session
      this.#review(this.#describe(file, null, null))
    } catch (error) {
      if (!signal.aborted) this.#fail(error)
    }
  }

  /** @returns whether the page lets the element go on */
  #emit<Name extends keyof CaptureDetails>(
    name: Name,
    detail: CaptureDetails[Name],
    cancelable = false,
  ): boolean {
    return this.dispatchEvent(new CustomEvent(name, { detail, cancelable }))
  }
}

/** Defines `<vivace-capture>`, once. */
export function defineCapture(): void {
  const elements = globalThis.customElements
  if (elements && !elements.get('vivace-capture')) elements.define('vivace-capture', VivaceCapture)
}
