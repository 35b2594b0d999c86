/** Copies texts to the clipboard, also on pages that browsers give none. */
import { h } from './dom.ts'

const shownMs = 1500

/** Copies from a field that nobody sees: the older way, which needs a click but no HTTPS. */
function copyFromField(text: string): boolean {
  const focused = document.activeElement
  // Behind an open dialog nothing takes the focus.
  const place = document.querySelector('dialog[open]') ?? document.body
  const field = h('textarea', { class: 'unseen', 'aria-hidden': 'true', tabindex: -1 })
  field.value = text
  place.append(field)
  field.select()
  try {
    return document.execCommand('copy')
  } catch {
    return false
  } finally {
    field.remove()
    if (focused instanceof HTMLElement) focused.focus()
  }
}

/** Copies a text, within a click. Only pages on localhost and over HTTPS have `navigator.clipboard`. @returns whether it was copied */
export async function copyText(text: string): Promise<boolean> {
  try {
    if (window.isSecureContext) {
      await navigator.clipboard.writeText(text)
      return true
    }
  } catch {
    // Not allowed: the older way may be.
  }
  return copyFromField(text)
}

/** Selects the text of an element, for the keys that copy. */
export const selectText = (element: Element): void => window.getSelection()?.selectAllChildren(element)

/**
 * A button that copies a text and says whether it did.
 * @param show shows the text where it cannot be copied, and returns the element to select
 * @param translate into the language of the page
 */
export function copyButton(
  label: string,
  read: () => string,
  show: (text: string) => Element,
  translate: (text: 'Copied' | 'Selected: copy it with the keyboard') => string = (text) => text,
): HTMLElement {
  const button = h('button', { type: 'button' }, label)
  const said = h('span', { role: 'status', class: 'unseen' })
  const copy = async () => {
    const text = read()
    const isCopied = await copyText(text)
    if (!isCopied) selectText(show(text))
    button.textContent = said.textContent = translate(
      isCopied ? 'Copied' : 'Selected: copy it with the keyboard',
    )
    setTimeout(
      () => {
        button.textContent = label
        said.textContent = ''
      },
      isCopied ? shownMs : 4 * shownMs,
    )
  }
  button.addEventListener('click', () => void copy())
  return h('span', { class: 'copies' }, button, said)
}
