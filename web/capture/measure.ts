/**
 * `/capture#measure`: a pilot records its own people and attacks, each with a label. What `npm run accuracy -- challenge FILE` measures is
 * kept in the page until it is saved: curves of colours and points of the face, no pictures.
 */
import type { Folder } from '../../client/answers.ts'
import type { VivaceCapture } from '../../client/capture/element.ts'
import { measureWords } from './measure-words.ts'

interface Label {
  /** A code that the pilot gives: it counts people, and names nobody. */
  person: string
  group: string
  kind: string
  lux: number | null
}

interface Recording extends Label {
  challenge: object
}

const section = document.querySelector<HTMLElement>('.measure')!
const find = <E extends HTMLElement>(selector: string): E => section.querySelector<E>(selector)!

/** What the steps are measured on, and what the server found; `null` if it has judged no step, or none with evidence. */
function readAnswer({ analyses = [] }: Folder) {
  const told = analyses[0]?.technical_meta_data
  const challenge = told?.detail?.media[0]?.challenge
  const judged = told?.challenges?.[0]?.steps
  if (!challenge || !judged || challenge.steps.every(({ skipped }) => skipped)) return null
  return { challenge, found: judged.map(({ step, status }) => `${step} ${status}`).join(', ') }
}

function save(recordings: readonly Recording[]): void {
  const content = JSON.stringify({ vivace_challenge_recordings: 1, recordings })
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([content], { type: 'application/json' }))
  link.download = `challenge-${new Date().toISOString().slice(0, 10)}.json`
  link.click()
  // Some browsers read it later.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

export function openMeasuring(element: VivaceCapture, language: keyof typeof measureWords): void {
  const form = find<HTMLFormElement>('form')
  const fields = find<HTMLFieldSetElement>('fieldset')
  const consent = find<HTMLInputElement>('[name=agrees]')
  const saving = find<HTMLButtonElement>('.save')
  const told = find('.told')
  const recordings: Recording[] = []
  let isSaved = true
  /** Of the capture that is sent. */
  let label: Label

  const readLabel = (): Label => {
    const said = new FormData(form)
    const text = (name: string) => String(said.get(name) ?? '').trim()
    const lux = text('lux')
    return {
      ...{ person: text('person'), group: text('group'), kind: text('kind') },
      lux: lux === '' ? null : Number(lux),
    }
  }
  /** Nobody is filmed before all is said and the person has agreed, nor after the person no longer does. */
  const follow = () => {
    const isReady = form.checkValidity()
    if (!isReady && !element.hidden) element.reset()
    element.hidden = !isReady
  }
  const next = () => {
    fields.disabled = false
    // Each person is asked anew.
    consent.checked = false
    saving.disabled = recordings.length === 0
    saving.textContent = `Save ${recordings.length} recordings`
    follow()
  }

  for (const [selector, text] of [
    ['.explanation', measureWords[language].explanation],
    ['.agreement', measureWords[language].consent],
  ] as const) {
    find(selector).textContent = text
    find(selector).lang = language
  }
  element.setAttribute('destination', 'instant')
  element.setAttribute('seal', 'always')
  element.analyses = [{ type: 'quality' }]
  element.detail = true
  section.hidden = false
  form.addEventListener('input', follow)
  form.addEventListener('submit', (event) => event.preventDefault())
  element.addEventListener('capture', () => {
    label = readLabel()
    fields.disabled = true
  })
  element.addEventListener('error', () => {
    fields.disabled = false
  })
  element.addEventListener('result', (event) => {
    const answer = readAnswer((event as CustomEvent<{ folder: Folder }>).detail.folder)
    if (answer) {
      recordings.push({ ...label, challenge: answer.challenge })
      isSaved = false
    }
    told.textContent = answer
      ? `Recorded: ${answer.found}.`
      : 'Not recorded: no step could be measured. The server needs SVC_CHALLENGE with approach or colours, and SVC_CONTAINER_ANALYSIS_ENABLED; a slow page shows colours too late.'
    // After this event the element shows its verdict.
    setTimeout(next)
  })
  saving.addEventListener('click', () => {
    save(recordings)
    isSaved = true
  })
  addEventListener('beforeunload', (event) => {
    if (!isSaved) event.preventDefault()
  })
  next()
}
