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

/** Whether what is captured here could only be refused. */
async function lacksToken(): Promise<boolean> {
  if (element.hasAttribute('token')) return false
  if (element.getAttribute('destination') === 'folders') return true
  const config = await fetch('/api/config')
  return config.ok && ((await config.json()) as { token_required: boolean }).token_required
}

// Without an answer the element itself tells what happens.
if (await lacksToken().catch(() => false)) {
  element.remove()
  note.hidden = false
}

export {}
