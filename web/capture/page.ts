/**
 * The page `/capture`. The part of its address after `#` has attributes of the element, such as `#mode=photo&lang=de`, `measure`, or the secret of a
 * link; browsers do not send that part.
 */
import type { Folder } from '../../client/answers.ts'
import type { Capture } from '../../client/capture/describe-capture.ts'
import type { VivaceCapture } from '../../client/capture/element.ts'
import { tellGestures } from './gesture-words.ts'
import { openLink } from './link.ts'
import { linkWords } from './link-words.ts'
import { openMeasuring } from './measure.ts'
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

const element = document.querySelector<VivaceCapture>('vivace-capture')!
const note = document.querySelector<HTMLElement>('.note')!

const wanted = new URLSearchParams(location.hash.slice(1))

/** The first language that the person reads and the page has. */
function chooseLanguage(first: string | null): keyof typeof linkWords {
  const languages = [first ?? '', ...navigator.languages].map((tag) => tag.slice(0, 2).toLowerCase())
  const known = languages.find((tag) => Object.hasOwn(linkWords, tag)) ?? 'en'
  return known as keyof typeof linkWords
}

function showNote(): void {
  const language = chooseLanguage(wanted.get('lang'))
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

/** Says below the verdict what the server saw of the gestures that the person was asked for. */
function answerGestures(): void {
  const line = document.querySelector<HTMLElement>('.gesture')!
  let asked: string[] = []
  const say = (text: string): void => {
    line.textContent = text
    line.hidden = text === ''
  }
  element.addEventListener('capture', (event) => {
    const { evidence } = (event as CustomEvent<Capture>).detail
    asked = evidence?.steps?.flatMap(({ gesture }) => gesture ?? []) ?? []
  })
  element.addEventListener('result', (event) => {
    const language = chooseLanguage(element.getAttribute('lang'))
    line.lang = language
    say(tellGestures((event as CustomEvent<{ folder: Folder }>).detail.folder, asked, language))
  })
  element.addEventListener('restart', () => say(''))
}

/** Whether what is captured here could only be refused. */
async function lacksToken(): Promise<boolean> {
  if (element.hasAttribute('token')) return false
  if (element.getAttribute('destination') === 'folders') return true
  const config = await fetch('/api/config')
  return config.ok && !((await config.json()) as { pages_open: boolean }).pages_open
}

async function openFree(): Promise<void> {
  for (const name of allowed) {
    const value = wanted.get(name)
    if (value !== null) element.setAttribute(name, value)
  }
  // Tokens do not stay in the address bar and the history.
  if (wanted.size > 0) history.replaceState(null, '', location.pathname)
  document.documentElement.lang = wanted.get('lang') ?? navigator.language
  // Who leaves the verdict to others says nothing of it either.
  if (!element.hasAttribute('quiet')) answerGestures()
  // Without an answer the element itself tells what happens.
  const isMeasured = wanted.has('measure')
  element.hidden = isMeasured
  if (await lacksToken().catch(() => false)) showNote()
  else if (isMeasured) openMeasuring(element, chooseLanguage(wanted.get('lang')))
}

// The secret of a link stays in the address: a page that was closed by mistake is opened again.
const secret = wanted.get('link')
if (secret === null) await openFree()
else await openLink(element, secret, chooseLanguage)
