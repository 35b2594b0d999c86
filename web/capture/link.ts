/** What the page does for a link: the server says what to capture, and the page leads on when it was sent. */
import type { Answers } from '../../client/answers.ts'
import type { VivaceCapture } from '../../client/capture/element.ts'
import { type Ending, linkWords } from './link-words.ts'

type Asked = Answers['GET /api/capture']
type Language = keyof typeof linkWords

const endings: readonly string[] = ['captured', 'expired', 'withdrawn']

/** Why a link asks for nothing, and the language of its page. */
interface Ended {
  ending: Ending
  language: string | null
}

const ended = (ending: Ending, language: string | null = null): Ended => ({ ending, language })

/** What the link asks for, or why it asks for nothing. */
async function ask(secret: string): Promise<Asked | Ended> {
  try {
    const answer = await fetch('/api/capture', { headers: { 'X-Forensic-Access-Token': secret } })
    if (answer.status === 404) return ended('unknown')
    const told = (await answer.json()) as Asked & { details?: { state?: string; language?: string } | null }
    if (answer.ok) return told
    const { state = '', language = null } = told.details ?? {}
    return ended(endings.includes(state) ? (state as Ending) : 'unreachable', language)
  } catch {
    return ended('unreachable')
  }
}

const find = <E extends HTMLElement>(selector: string): E => document.querySelector<E>(selector)!

/** Shows the text of consent until the person agrees. */
function askConsent(text: string, language: Language): Promise<void> {
  const section = find('.consent')
  const button = find<HTMLButtonElement>('.consent button')
  find('.consent h2').textContent = linkWords[language].consent
  find('.consent p').textContent = text
  button.textContent = linkWords[language].agree
  section.hidden = false
  return new Promise((resolve) => {
    button.onclick = () => {
      section.hidden = true
      resolve()
    }
  })
}

function showEnding(ending: Ending, language: Language): void {
  const [title, text] = linkWords[language].endings[ending]
  const section = find('.ended')
  section.lang = language
  find('.ended h2').textContent = title
  find('.ended p').textContent = text
  section.hidden = false
}

function offerReturn(address: string, language: Language): void {
  const link = find<HTMLAnchorElement>('.return')
  link.textContent = linkWords[language].next.replace('{host}', new URL(address).host)
  link.href = address
  link.hidden = false
}

/** @param chooseLanguage the first of the languages of the page that the person reads */
export async function openLink(
  element: VivaceCapture,
  secret: string,
  chooseLanguage: (wanted: string | null) => Language,
): Promise<void> {
  // Another link in the same tab changes nothing but this part of the address.
  window.addEventListener('hashchange', () => location.reload())
  element.hidden = true
  const asked = await ask(secret)
  if ('ending' in asked) {
    showEnding(asked.ending, chooseLanguage(asked.language))
    return
  }
  const { mode, consent, return_url } = asked
  const language = chooseLanguage(asked.language)
  document.documentElement.lang = language
  if (consent) await askConsent(consent.text, language)
  const attributes = { mode, destination: 'link', token: secret, lang: language }
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.metadata = consent ? { vivace_consent: consent.sha256 } : {}
  element.addEventListener('result', () => {
    if (return_url !== null) offerReturn(return_url, language)
  })
  element.addEventListener('restart', (event) => {
    event.preventDefault()
    void ask(secret).then((again) => {
      if (!('ending' in again)) return element.reset()
      element.hidden = true
      showEnding(again.ending, language)
    })
  })
  element.hidden = false
}
