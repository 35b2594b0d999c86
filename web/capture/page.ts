/**
 * The page `/capture`. The part of its address after `#` has attributes of the element, such as `#mode=photo&lang=de`; browsers do not send
 * that part, so it may have a token.
 */

const allowed = [
  'mode',
  'gesture',
  'lang',
  'destination',
  'token',
  'session-token',
  'seal',
  'tags',
  'auto-start',
  'quiet',
]

/** `error_code` of a call without a token. */
const tokenMissing = '6'

const element = document.querySelector('vivace-capture')!
const note = document.querySelector<HTMLElement>('.note')!

const wanted = new URLSearchParams(location.hash.slice(1))
for (const name of allowed) {
  const value = wanted.get(name)
  if (value !== null) element.setAttribute(name, value)
}
// Tokens do not stay in the address bar and the history.
if (wanted.size > 0) history.replaceState(null, '', location.pathname)
document.documentElement.lang = wanted.get('lang') ?? navigator.language

element.addEventListener('error', (event) => {
  if (!(event instanceof CustomEvent) || event.detail.code !== tokenMissing) return
  note.textContent = 'This server takes captures of callers with a token: open /capture#token=…'
  note.hidden = false
})

export {}
