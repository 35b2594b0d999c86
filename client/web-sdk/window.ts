/** The window over the page. */
import { html, svg } from '../capture/dom.ts'
import type { VivaceCapture } from '../capture/element.ts'
import style from './window.css'

let sheet: CSSStyleSheet | null = null

function adoptStyle(): void {
  if (sheet) return
  sheet = new CSSStyleSheet()
  sheet.replaceSync(style)
  document.adoptedStyleSheets.push(sheet)
}

export interface SdkWindow {
  element: VivaceCapture
  showModal(): void
  /** Takes the window from the screen; the element in it goes on. */
  hide(): void
  close(): void
}

/** @param onClose called when the person closes the window */
export function makeWindow(closeText: string, onClose: () => void): SdkWindow {
  adoptStyle()
  const element = document.createElement('vivace-capture') as VivaceCapture
  const cross = svg(
    'svg',
    { viewBox: '0 0 24 24', 'aria-hidden': 'true' },
    svg('path', { d: 'M6 6l12 12M18 6L6 18' }),
  )
  const button = html('button', { type: 'button', 'aria-label': closeText }, cross)
  const dialog = html('dialog', { class: 'vivace-web-sdk' }, element, button)
  button.addEventListener('click', onClose)
  dialog.addEventListener('cancel', (event) => {
    event.preventDefault()
    onClose()
  })
  document.body.append(dialog)
  return {
    element,
    showModal: () => dialog.showModal(),
    hide: () => dialog.close(),
    close: () => {
      dialog.close()
      dialog.remove()
    },
  }
}
