/**
 * The page `/capture`. The part of its address after `#` has attributes of the element, such as `#mode=photo&lang=de`; browsers do not send
 * that part, so it may have a token.
 */
import { notes } from './notes.ts'

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
const languages = [wanted.get('lang') ?? '', ...navigator.languages].map((tag) =>
  tag.slice(0, 2).toLowerCase(),
)
document.documentElement.lang = wanted.get('lang') ?? navigator.language

function showNote(): void {
  const language = languages.find((tag) => tag === 'en' || Object.hasOwn(notes, tag)) ?? 'en'
  const say = (selector: string, text: string): void => {
    note.querySelector(selector)!.textContent = text
  }
  note.lang = language
  const words = notes[language]
  if (words) {
    say('h2', words.title)
    say('.person', words.person)
    say('.developer', words.developer)
    say('a', words.link)
  }
  element.remove()
  note.hidden = false
}

/** Whether what is captured here could only be refused. */
async function lacksToken(): Promise<boolean> {
  if (element.hasAttribute('token')) return false
  if (element.getAttribute('destination') === 'folders') return true
  const config = await fetch('/api/config')
  return config.ok && ((await config.json()) as { token_required: boolean }).token_required
}

// Without an answer the element itself tells what happens.
if (await lacksToken().catch(() => false)) showNote()
