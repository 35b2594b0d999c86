/**
 * `/client/vivace-web-sdk.js`: `OzLiveness.open({ … })` for pages that were written for the vendor's Web SDK, on our own element. See
 * docs/capture.md.
 */
import type { Folder } from '../answers.ts'
import { type Client, createClient } from '../call.ts'
import { analysesFor } from '../capture/analyses-for.ts'
import { type CaptureSession, openCaptureSession } from '../capture/capture-session.ts'
import type { Capture } from '../capture/describe-capture.ts'
import { defineCapture, type VivaceCapture } from '../capture/element.ts'
import { chooseLanguage, textsOf } from '../capture/texts.ts'
import { codeOfError, textOfError } from '../capture/trouble.ts'
import type { JsonObject } from '../operations.ts'
import { linkFrames } from './frames.ts'
import { type ResultMode, resultModes, type SdkResult, type Step, sdkResult, stepOf } from './results.ts'
import { SessionLog } from './session-log.ts'
import { makeWindow, type SdkWindow } from './window.ts'

interface SdkError {
  code: string
  event_session_id: string
  message: string
  context: JsonObject
}

export interface OpenOptions {
  /** Access token. Without it the calls go to a server, or a backend of the page, that needs none. */
  token?: string
  session_token?: string
  lang?: string
  action?: string | readonly string[]
  meta?: JsonObject
  /** Only `extract_best_shot` is read. */
  params?: { extract_best_shot?: boolean }
  result_mode?: string
  on_capture_complete?: (result: { event_session_id: string; media: readonly Capture[] }) => void
  on_submit?: (result: { event_session_id: string }) => void
  on_result?: (result: SdkResult) => void
  on_complete?: (result: SdkResult) => void
  on_error?: (error: SdkError) => void
  on_close?: (result: { event_session_id: string }) => void
}

/** The script element, which has the settings that the vendor's adapter had on the server. */
const script = document.currentScript instanceof HTMLScriptElement ? document.currentScript : null

interface Setup {
  server: string
  destination: 'folders' | 'instant'
  resultMode: ResultMode
}

function readSetup(options: OpenOptions): Setup {
  const { server, destination, resultMode } = script?.dataset ?? {}
  const mode = options.result_mode ?? resultMode ?? 'safe'
  return {
    server: server ?? (script ? new URL(script.src).origin : location.origin),
    destination: destination === 'instant' ? 'instant' : 'folders',
    resultMode: (resultModes.includes(mode) ? mode : 'safe') as ResultMode,
  }
}

function readSteps({ action = 'video_selfie_blank' }: OpenOptions): Step[] {
  const actions = typeof action === 'string' ? [action] : action
  return actions.map((name, i) => {
    const step = stepOf(name)
    if (!step) throw new TypeError(`there is no action ${name}`)
    return { ...step, action: name, key: `${name}_${i}` }
  })
}

/** The analyses that fit the captures, with what the page asks of them; `null` if it asks nothing. */
function analysesAsked({ params }: OpenOptions, captures: readonly Capture[]) {
  const { extract_best_shot } = params ?? {}
  const chosen = analysesFor(captures)
  if (typeof extract_best_shot !== 'boolean' || chosen.every(({ type }) => type !== 'quality')) return null
  return chosen.map((analysis) =>
    analysis.type === 'quality' ? { ...analysis, params: { extract_best_shot } } : analysis,
  )
}

/** Shows the element for one step and waits for its capture. */
function captureStep(element: VivaceCapture, step: Step, session: CaptureSession | null): Promise<Capture> {
  element.setAttribute('mode', step.mode)
  element.setAttribute('tags', step.tags.join(' '))
  element.setAttribute('gesture', step.gesture ?? '')
  element.steps = session?.steps ?? null
  element.reset()
  return new Promise((resolve) => {
    const onCapture = (event: Event): void => {
      event.preventDefault()
      element.removeEventListener('capture', onCapture)
      const { blob, tags, evidence } = (event as CustomEvent<Capture>).detail
      resolve({ key: step.key, blob, tags, ...(evidence ? { evidence } : {}) })
    }
    element.addEventListener('capture', onCapture)
  })
}

/** One opened window, from its first step to the result. */
class SdkSession {
  readonly #options: OpenOptions
  readonly #setup: Setup
  readonly #log: SessionLog
  readonly #client: Client
  readonly #abort = new AbortController()
  #captures: readonly Capture[] = []
  #window: SdkWindow | null = null
  #isSending = false
  #isHidden = false

  constructor(options: OpenOptions) {
    this.#options = options
    this.#setup = readSetup(options)
    const { server, destination } = this.#setup
    const { token = null } = options
    this.#client = createClient({ url: server, token })
    this.#log = new SessionLog(server, token, destination === 'folders')
    this.#log.add('liveness_session_initialization')
    this.#log.send()
  }

  get id(): string {
    return this.#log.id
  }

  async run(): Promise<void> {
    try {
      const steps = readSteps(this.#options)
      const { session_token = null } = this.#options
      const session = await openCaptureSession(this.#client, 'auto', session_token)
      if (this.#abort.signal.aborted) return
      this.#window = this.#openWindow()
      const { element } = this.#window
      const captures: Capture[] = []
      for (const step of steps) {
        this.#log.add('action_start', { action: step.action })
        captures.push(await captureStep(element, step, session))
        this.#log.add('action_finish', { action: step.action })
      }
      this.#captures = captures
      this.#options.on_capture_complete?.({ event_session_id: this.id, media: captures })
      this.#submit(element, captures, session)
    } catch (error) {
      if (!this.#abort.signal.aborted) this.#report(error)
    }
  }

  #openWindow(): SdkWindow {
    const { lang, meta } = this.#options
    const words = textsOf(chooseLanguage(lang === undefined ? navigator.languages : [lang]))
    const opened = makeWindow(words.close, () => this.close())
    const { element } = opened
    // The session is this one; the element captures, and sends what it is given.
    element.setAttribute('seal', 'never')
    element.setAttribute('destination', this.#setup.destination)
    // The page tells the verdict.
    element.setAttribute('quiet', '')
    element.client = this.#client
    element.metadata = meta ?? {}
    if (lang !== undefined) element.lang = lang
    const on = (name: string, listen: (event: CustomEvent) => void): void =>
      element.addEventListener(name, (event) => listen(event as CustomEvent))
    on('error', ({ detail }) => this.#report(detail.error))
    on('result', ({ detail }) => void this.#complete(detail.folder))
    on('restart', (event) => this.#restart(event))
    opened.showModal()
    return opened
  }

  #submit(element: VivaceCapture, captures: readonly Capture[], session: CaptureSession | null): void {
    const { on_submit, on_result } = this.#options
    this.#isSending = true
    on_submit?.({ event_session_id: this.id })
    on_result?.({ state: 'processing', event_session_id: this.id })
    this.#log.add('liveness_check_start')
    this.#log.send()
    element.analyses = analysesAsked(this.#options, captures)
    // A callback may have closed the window.
    if (!this.#abort.signal.aborted) element.send(captures, session)
  }

  async #complete(folder: Folder): Promise<void> {
    const { on_result, on_complete } = this.#options
    const { resultMode } = this.#setup
    this.#log.add('liveness_check_finish', { folder_id: folder.folder_id })
    this.#log.send()
    const frames = resultMode === 'full' ? await linkFrames(folder, this.#captures) : undefined
    if (this.#abort.signal.aborted) return
    const result = sdkResult(folder, resultMode, this.id, frames)
    on_result?.(result)
    on_complete?.(result)
    this.#end()
  }

  /** What was refused is captured anew from the first step, not the last step alone. */
  #restart(event: Event): void {
    if (!this.#isSending) return
    event.preventDefault()
    this.#isSending = false
    this.#window?.close()
    this.#window = null
    void this.run()
  }

  #report(error: unknown): void {
    const message = error instanceof TypeError ? error.message : textsOf('en')[textOfError(error)]
    const code = codeOfError(error)
    this.#log.add('error', { code })
    this.#log.send()
    this.#options.on_error?.({ code, event_session_id: this.id, message, context: {} })
  }

  #end(): void {
    if (!this.#window) return
    this.#window.close()
    this.#window = null
    if (!this.#isHidden) this.#options.on_close?.({ event_session_id: this.id })
  }

  /** Ends the calls and the window. Only `on_close` is called after this. */
  close(): void {
    this.#abort.abort()
    this.#end()
  }

  /** Takes the window away; the calls and their callbacks go on. */
  hide(): void {
    this.#isHidden = true
    if (this.#isSending) this.#window?.hide()
    else {
      // Nothing is captured behind a page.
      this.#window?.close()
      this.#window = null
    }
  }
}

let current: SdkSession | null = null

/** What the script of the vendor defines. */
export const OzLiveness = {
  /** Opens the window and captures what `action` lists. The results come to the callbacks. */
  open(options: OpenOptions = {}): void {
    current?.close()
    current = new SdkSession(options)
    void current.run()
  },
  close(): void {
    current?.close()
    current = null
  },
  hide(): void {
    current?.hide()
  },
}

defineCapture()
Object.assign(globalThis, { OzLiveness })
