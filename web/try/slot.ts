/** A place for one file: drop it, choose it or take it with the camera. Shows the file, and after a check the faces in it. */

import { h, svg } from '../dom.ts'
import type { Picture } from './answer.ts'
import { hasCamera, useCamera } from './camera.ts'
import { t } from './language.ts'
import { drawFaces, showFrames, showPhoto } from './picture.ts'
import { isClip } from './service.ts'

interface SlotWords {
  id: string
  title: string
  hint: string
  camera: boolean
  /** What the drawing in the empty place shows. */
  drawing: 'face' | 'card'
}

const drawings = {
  face: () =>
    svg(
      'svg',
      { viewBox: '0 0 64 64', class: 'drawing', 'aria-hidden': 'true' },
      svg('path', {
        d: 'M8 20V12a4 4 0 0 1 4-4h8M44 8h8a4 4 0 0 1 4 4v8M56 44v8a4 4 0 0 1-4 4h-8M20 56h-8a4 4 0 0 1-4-4v-8',
      }),
      svg('path', { d: 'M32 17c-8 0-12 6-12 13 0 9 5 17 12 17s12-8 12-17c0-7-4-13-12-13Z' }),
      svg('path', { d: 'M27 30v1M37 30v1M32 31v5M28 40c2.500 2 5.500 2 8 0' }),
    ),
  card: () =>
    svg(
      'svg',
      { viewBox: '0 0 64 64', class: 'drawing', 'aria-hidden': 'true' },
      svg('rect', { x: 8, y: 15, width: 48, height: 34, rx: 4 }),
      svg('path', {
        d: 'M22 25c-3 0-5 2.500-5 5.500S19 36 22 36s5-2.500 5-5.500S25 25 22 25ZM15 42c1-3 4-4 7-4s6 1 7 4M36 27h13M36 33h13M36 39h8',
      }),
    ),
}

export class Slot {
  file: File | null = null
  readonly element: HTMLElement
  readonly #stage = h('div', { class: 'stage' })
  readonly #name = h('p', { class: 'name' })
  readonly #input: HTMLInputElement
  readonly #actions = h('div', { class: 'row' })
  readonly #words: SlotWords
  readonly #onChange: () => void
  /** Counts choices: a picture that is decoded late must not replace a newer one. */
  #turn = 0

  constructor(words: SlotWords, onChange: () => void) {
    this.#words = words
    this.#onChange = onChange
    this.#input = h('input', {
      type: 'file',
      id: words.id,
      class: 'unseen',
      tabindex: -1,
      'aria-label': words.title,
      change: () => this.choose(this.#input.files?.[0] ?? null),
    })
    this.element = h(
      'section',
      { class: 'slot', 'aria-label': words.title },
      this.#stage,
      this.#name,
      this.#input,
      this.#actions,
    )
    this.#listenToDrops()
    this.#showEmpty()
  }

  set hint(text: string) {
    this.#words.hint = text
    if (this.file === null) this.#showEmpty()
  }

  /** Sets what the file dialog offers: media types, or endings of names. */
  offer(types: readonly string[]): void {
    this.#input.accept = types.join()
  }

  #listenToDrops(): void {
    const { element } = this
    element.addEventListener('dragover', (event) => {
      event.preventDefault()
      element.classList.add('over')
    })
    element.addEventListener('dragleave', () => element.classList.remove('over'))
    element.addEventListener('drop', (event) => {
      event.preventDefault()
      element.classList.remove('over')
      const file = event.dataTransfer?.files[0]
      if (file) this.choose(file)
    })
  }

  #buttons(chooseText: string): HTMLElement[] {
    const { camera, title } = this.#words
    const choose = h(
      'button',
      {
        type: 'button',
        class: this.file || !this.#words.camera ? '' : 'primary',
        click: () => this.#input.click(),
      },
      chooseText,
      h('span', { class: 'unseen' }, `: ${title}`),
    )
    const shoot =
      camera && hasCamera()
        ? h(
            'button',
            { type: 'button', click: () => void useCamera().then((file) => file && this.choose(file)) },
            t('Use the camera'),
          )
        : null
    const remove = this.file
      ? h(
          'button',
          { type: 'button', class: 'quiet', click: () => this.choose(null) },
          t('Remove'),
          h('span', { class: 'unseen' }, `: ${title}`),
        )
      : null
    return [choose, shoot, remove].filter((button) => button !== null)
  }

  #showEmpty(): void {
    const { title, hint, drawing } = this.#words
    this.#stage.replaceChildren(
      h('div', { class: 'empty' }, drawings[drawing](), h('h2', {}, title), h('p', { class: 'hint' }, hint)),
    )
    this.#name.textContent = ''
    this.#actions.replaceChildren(...this.#buttons(t('Choose a file')))
  }

  /** Takes a file, or empties the place, and tells. */
  choose(file: File | null): void {
    this.put(file)
    this.#onChange()
  }

  put(file: File | null): void {
    this.file = file
    this.#input.value = ''
    this.#turn++
    if (file) void this.#showFile(file)
    else this.#showEmpty()
    this.element.classList.toggle('filled', file !== null)
  }

  async #showFile(file: File): Promise<void> {
    const turn = this.#turn
    this.#name.textContent = file.name
    this.#actions.replaceChildren(...this.#buttons(t('Replace')))
    this.#stage.replaceChildren(h('p', { class: 'hint empty' }, t('Opening…')))
    try {
      const [picture] = isClip(file) ? await showFrames(file, [0], 0) : [await showPhoto(file)]
      if (turn === this.#turn) this.#stage.replaceChildren(picture!)
    } catch {
      if (turn === this.#turn)
        this.#stage.replaceChildren(
          h('p', { class: 'hint empty' }, t('No preview of this file in the browser')),
        )
    }
  }

  /** Shows a picture with the faces that were found in it. */
  showFaces(picture: HTMLCanvasElement, found: Picture | null): void {
    const { title } = this.#words
    const count = found?.faces.length ?? 0
    picture.setAttribute('role', 'img')
    picture.setAttribute('aria-label', `${title}: ${t('Faces found: {count}', { count })}`)
    this.#stage.replaceChildren(picture, ...(found ? [drawFaces(found)] : []))
  }

  setBusy(isBusy: boolean): void {
    this.element.classList.toggle('busy', isBusy && this.file !== null)
  }
}
