/** What the element shows: a stage with the camera, a line of advice, and the buttons of each state. */
import { html, svg } from './dom.ts'
import type { Outline } from './step.ts'

/** The states of a capture. */
export type Phase =
  | 'intro'
  | 'opening'
  | 'notice'
  | 'framing'
  | 'recording'
  | 'review'
  | 'sending'
  | 'done'
  | 'failed'

/** Size of the drawing over the camera; the stage has the same shape. */
const width = 300
const height = 400

const face = { cx: 150, cy: 186, rx: 81, ry: 111 }
const card = { x: '24', y: '112', width: '252', height: '160', rx: '14' }

/** The oval is wider than the face that is to fill it. */
const ovalPerFace = 1.08

interface Oval {
  rx: number
  ry: number
}

/** The outlines as paths, clockwise from the top, for the hole of the mask. */
const ovalHole = ({ rx, ry }: Oval): string =>
  `M${face.cx} ${face.cy - ry}a${rx} ${ry} 0 0 1 0 ${2 * ry}a${rx} ${ry} 0 0 1 0-${2 * ry}z`
const cardHole =
  'M38 112h224a14 14 0 0 1 14 14v132a14 14 0 0 1-14 14h-224a14 14 0 0 1-14-14v-132a14 14 0 0 1 14-14z'

const shadeAround = (hole: string): string => `M0 0h${width}v${height}h-${width}z${hole}`

const shape = (outline: Outline, name: string): SVGElement =>
  outline === 'face'
    ? svg('ellipse', { class: name, cx: `${face.cx}`, cy: `${face.cy}`, pathLength: '100' })
    : svg('rect', { class: name, ...card, pathLength: '100' })

function drawOverlay(outline: Outline): SVGElement {
  return svg(
    'svg',
    {
      class: 'overlay',
      viewBox: `0 0 ${width} ${height}`,
      preserveAspectRatio: 'xMidYMid slice',
      'aria-hidden': 'true',
    },
    svg('path', {
      class: 'shade',
      d: shadeAround(outline === 'face' ? ovalHole(face) : cardHole),
      'fill-rule': 'evenodd',
    }),
    shape(outline, 'outline'),
    shape(outline, 'progress'),
  )
}

/** The picture of the introduction. */
function drawFigure(outline: Outline): SVGElement {
  const lines =
    outline === 'face'
      ? [
          svg('ellipse', { cx: '60', cy: '62', rx: '34', ry: '44' }),
          svg('path', { d: 'M46 56v5M74 56v5M60 58v12q0 3-4 3M49 82q11 9 22 0' }),
        ]
      : [
          svg('rect', { x: '18', y: '34', width: '84', height: '56', rx: '7' }),
          svg('circle', { cx: '42', cy: '56', r: '9' }),
          svg('path', { d: 'M28 80q14-16 28 0M66 52h24M66 64h24M66 76h14' }),
        ]
  const corners = svg('path', {
    class: 'corners',
    d: 'M6 26v-14q0-6 6-6h14M94 6h14q6 0 6 6v14M114 94v14q0 6-6 6h-14M26 114h-14q-6 0-6-6v-14',
  })
  return svg('svg', { class: 'figure', viewBox: '0 0 120 120', 'aria-hidden': 'true' }, corners, ...lines)
}

/** The picture of the notice: a screen that gives light. */
const drawLamp = (): SVGElement =>
  svg(
    'svg',
    { class: 'figure', viewBox: '0 0 120 120', 'aria-hidden': 'true' },
    svg('rect', { x: '42', y: '30', width: '36', height: '62', rx: '7' }),
    svg('path', {
      class: 'corners',
      d: 'M60 6v12M60 104v10M8 61h14M98 61h14M24 25l9 8M96 25l-9 8M24 97l9-8M96 97l-9-8',
    }),
  )

const marks = {
  passed: 'M36 62l17 17l32-36',
  declined: 'M42 42l36 36M78 42l-36 36',
  waiting: 'M36 62l17 17l32-36',
  failed: 'M60 34v34M60 84v3',
}

export type Verdict = keyof typeof marks

function drawMark(verdict: Verdict): SVGElement {
  return svg(
    'svg',
    { class: 'mark', viewBox: '0 0 120 120', 'aria-hidden': 'true' },
    svg('circle', { cx: '60', cy: '60', r: '52' }),
    svg('path', { d: marks[verdict], pathLength: '100' }),
  )
}

/** A button of the bar. */
export interface Action {
  text: string
  /** The one that leads on; it gets the focus. */
  isMain?: boolean
  /** Shown as the round button of cameras. */
  isShutter?: boolean
  run(): void
}

/** The nodes of the element. */
export class View {
  readonly video = html('video', {
    playsinline: true,
    muted: true,
    autoplay: true,
    'aria-hidden': 'true',
    tabindex: '-1',
  })
  readonly #overlay = html('div', { class: 'layer' })
  readonly #still = html('div', { class: 'layer still' })
  readonly #advice = html('p', { class: 'advice', 'aria-hidden': 'true' })
  readonly #panel = html('div', { class: 'layer panel' })
  readonly #stage = html('div', { class: 'stage', part: 'stage' })
  readonly #bar = html('div', { class: 'bar', part: 'bar' })
  readonly #live = html('p', { class: 'live', role: 'status', 'aria-live': 'polite' })
  readonly #frame = html('section', { class: 'frame', part: 'frame' })
  #progress: Element | null = null
  #replay: string | null = null

  constructor(root: ShadowRoot) {
    // Some browsers heed only the property.
    this.video.muted = true
    this.#stage.append(this.video, this.#still, this.#overlay, this.#advice, this.#panel)
    this.#frame.append(this.#stage, this.#bar, this.#live)
    root.append(this.#frame)
  }

  /** Begins a state: everything of the one before goes. */
  show(phase: Phase, outline: Outline, label: string): void {
    this.#frame.dataset.phase = phase
    this.#frame.setAttribute('aria-label', label)
    this.#panel.replaceChildren()
    this.#bar.replaceChildren()
    this.#setAdvice('', 'plain')
    this.light(null)
    if (this.#overlay.dataset.outline !== outline) {
      this.#overlay.dataset.outline = outline
      this.#overlay.replaceChildren(drawOverlay(outline))
      this.#progress = this.#overlay.querySelector('.progress')
    }
    this.showProgress(0)
    if (outline === 'face') this.setOval(null)
  }

  /** Sets the size of the oval. @param share width of the face that fills it, as a share of the stage's; `null` for the usual one */
  setOval(share: number | null): void {
    const rx = share === null ? face.rx : (share * ovalPerFace * width) / 2
    const ry = (rx * face.ry) / face.rx
    const place = (name: string, values: Record<string, string>): void => {
      const node = this.#overlay.querySelector(name)
      for (const [key, value] of Object.entries(values)) node?.setAttribute(key, value)
    }
    place('.shade', { d: shadeAround(ovalHole({ rx, ry })) })
    place('.outline', { rx: `${rx}`, ry: `${ry}` })
    // Turned by a quarter, the axes change places.
    place('.progress', { rx: `${ry}`, ry: `${rx}` })
  }

  /** Fills the screen around the oval with a colour; `null` ends it. The camera goes on: its node stays where it is. */
  light(colour: string | null): void {
    const isLit = this.#frame.hasAttribute('data-lit')
    if (colour === null) {
      if (!isLit) return
      this.#frame.removeAttribute('data-lit')
      this.#frame.removeAttribute('popover')
      this.#frame.style.removeProperty('--_light')
      return
    }
    this.#frame.style.setProperty('--_light', colour)
    if (isLit) return
    this.#frame.setAttribute('data-lit', '')
    // Above everything else, whatever the page around the element is; old browsers place it above most.
    if (!('showPopover' in this.#frame)) return
    this.#frame.setAttribute('popover', 'manual')
    this.#frame.showPopover()
  }

  mirror(isMirrored: boolean): void {
    this.#frame.toggleAttribute('data-mirrored', isMirrored)
  }

  #setAdvice(text: string, tone: 'plain' | 'good' | 'loud'): void {
    this.#advice.textContent = text
    this.#advice.dataset.tone = tone
    this.#frame.dataset.tone = tone
  }

  /** Shows advice on the stage. Screen readers hear it from the live region, which is fed less often. */
  advise(text: string, tone: 'plain' | 'good' | 'loud' = 'plain'): void {
    if (this.#advice.textContent !== text) this.#setAdvice(text, tone)
  }

  /** Says something to users of screen readers. */
  announce(text: string): void {
    if (this.#live.textContent !== text) this.#live.textContent = text
  }

  /** @param share 0…1 */
  showProgress(share: number): void {
    this.#progress?.setAttribute('stroke-dasharray', `${Math.round(share * 1000) / 10} 100`)
  }

  /** The page's own content in the slot `intro` stands instead. */
  showIntro(outline: Outline, title: string, text: string): void {
    const usual = [drawFigure(outline), html('h2', {}, title), html('p', {}, text)]
    this.#panel.replaceChildren(html('slot', { name: 'intro' }, ...usual))
  }

  /** Tells what comes before it does. */
  showNotice(title: string, text: string): void {
    this.#panel.replaceChildren(drawLamp(), html('h2', {}, title), html('p', {}, text))
  }

  showVerdict(verdict: Verdict, title: string, text: string): void {
    this.#frame.dataset.verdict = verdict
    this.#panel.replaceChildren(drawMark(verdict), html('h2', {}, title), html('p', {}, text))
  }

  /** A bar that fills as bytes are sent. @returns a function that sets its share and its text */
  showSending(text: string): (share: number, text: string) => void {
    const fill = html('div', { class: 'fill' })
    const line = html('p', {}, text)
    const meter = html(
      'div',
      {
        class: 'meter',
        role: 'progressbar',
        'aria-label': text,
        'aria-valuemin': '0',
        'aria-valuemax': '100',
      },
      fill,
    )
    this.#panel.replaceChildren(html('div', { class: 'spinner', 'aria-hidden': 'true' }), line, meter)
    return (share, now) => {
      fill.style.inlineSize = `${Math.round(share * 100)}%`
      meter.setAttribute('aria-valuenow', String(Math.round(share * 100)))
      if (line.textContent !== now) line.textContent = now
    }
  }

  /** Shows what was captured; `null` ends it. */
  replay(blob: Blob | null, label: string): void {
    if (this.#replay !== null) URL.revokeObjectURL(this.#replay)
    this.#replay = blob && URL.createObjectURL(blob)
    this.#still.replaceChildren()
    if (!blob || this.#replay === null) return
    const isClip = blob.type.startsWith('video/')
    const shown = isClip
      ? html('video', {
          src: this.#replay,
          playsinline: true,
          muted: true,
          loop: true,
          autoplay: true,
          'aria-label': label,
        })
      : html('img', { src: this.#replay, alt: label })
    if (shown instanceof HTMLVideoElement) shown.muted = true
    this.#still.append(shown)
  }

  /** Shows the buttons; the main one gets the focus if the element had it. */
  setActions(actions: readonly Action[], hasFocus: boolean): void {
    const buttons = actions.map(({ text, isMain, isShutter, run }) => {
      const button = html('button', {
        type: 'button',
        class: isShutter ? 'shutter' : isMain ? 'main' : 'plain',
        part: isMain ? 'main-button' : 'button',
      })
      button.append(isShutter ? html('span', { class: 'hidden' }, text) : text)
      button.addEventListener('click', run)
      return button
    })
    this.#bar.replaceChildren(...buttons)
    const main = actions.findIndex(({ isMain }) => isMain)
    if (hasFocus) buttons[main]?.focus()
  }

  /** Adds a choice of cameras before the buttons. */
  addCameras(
    label: string,
    cameras: readonly { id: string; name: string }[],
    chosen: string,
    choose: (id: string) => void,
  ): void {
    const select = html('select', { 'aria-label': label })
    select.append(
      ...cameras.map(({ id, name }) => html('option', { value: id, selected: id === chosen }, name)),
    )
    select.addEventListener('change', () => choose(select.value))
    this.#bar.append(select)
  }

  /** Shows which of the offered cameras is on; one that was not offered changes nothing. */
  selectCamera(id: string): void {
    const select = this.#bar.querySelector('select')
    if (select && [...select.options].some(({ value }) => value === id)) select.value = id
  }

  /** Adds a button that opens a file, or the camera program of a phone. @returns a function that sets the types to choose from */
  addFileButton(
    text: string,
    accept: string,
    facing: string,
    choose: (file: File) => void,
    hasFocus: boolean,
  ): (accept: string) => void {
    const input = html('input', { type: 'file', accept, capture: facing, class: 'hidden', id: 'file' })
    const label = html('label', { for: 'file', class: 'main', part: 'main-button' }, text)
    input.addEventListener('change', () => {
      const [file] = input.files ?? []
      if (file) choose(file)
    })
    this.#bar.prepend(input, label)
    if (hasFocus) input.focus()
    return (types) => {
      input.accept = types
    }
  }
}
