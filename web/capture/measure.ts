/**
 * `/capture#measure`: a pilot records its own people and attacks, each with a label. What `npm run accuracy -- challenge FILE` measures is
 * kept in the page until it is saved: curves of colours and points of the face, no pictures.
 */
import type { Folder } from '../../client/answers.ts'
import type { VivaceCapture } from '../../client/capture/element.ts'

interface Recording {
  /** A code that the pilot gives: it counts people, and names nobody. */
  person: string
  group: string
  kind: string
  lux: number | null
  challenge: object
}

const section = document.querySelector<HTMLElement>('.measure')!
const find = <E extends HTMLElement>(selector: string): E => section.querySelector<E>(selector)!

/** What the steps are measured on, and what the server found; `null` if there was no step to measure. */
function readAnswer({ analyses = [] }: Folder) {
  const told = analyses[0]?.technical_meta_data
  const challenge = told?.detail?.media[0]?.challenge
  const steps = told?.challenges?.[0]?.steps ?? []
  return challenge ? { challenge, found: steps.map(({ step, status }) => `${step} ${status}`) } : null
}

export function openMeasuring(element: VivaceCapture): void {
  const form = find<HTMLFormElement>('form')
  const saving = find<HTMLButtonElement>('.save')
  const told = find('.told')
  const recordings: Recording[] = []
  let isSaved = true

  const label = () => {
    const fields = new FormData(form)
    const text = (name: string) => String(fields.get(name) ?? '').trim()
    const lux = text('lux')
    return {
      person: text('person'),
      group: text('group'),
      kind: text('kind'),
      lux: lux === '' ? null : Number(lux),
    }
  }
  const offer = () => {
    saving.disabled = recordings.length === 0
    saving.textContent = `Save ${recordings.length} recordings`
  }
  /** Nobody is filmed before all is said, and the person has agreed. */
  const update = () => {
    element.hidden = !form.checkValidity()
    offer()
  }

  document.documentElement.lang = 'en'
  element.setAttribute('destination', 'instant')
  element.setAttribute('seal', 'always')
  element.analyses = [{ type: 'quality' }]
  element.detail = true
  section.hidden = false
  form.addEventListener('input', update)
  form.addEventListener('submit', (event) => event.preventDefault())
  element.addEventListener('result', (event) => {
    const answer = readAnswer((event as CustomEvent<{ folder: Folder }>).detail.folder)
    if (answer) {
      recordings.push({ ...label(), challenge: answer.challenge })
      isSaved = false
      told.textContent = `Recorded: ${answer.found.join(', ') || 'the evidence does not fit, see its reasons in the answer'}.`
    } else {
      told.textContent =
        'Not recorded: nothing was measured. The server needs SVC_CHALLENGE with approach or colours, and SVC_CONTAINER_ANALYSIS_ENABLED.'
    }
    // Each person is asked anew.
    find<HTMLInputElement>('[name=agrees]').checked = false
    offer()
  })
  element.addEventListener('restart', update)
  saving.addEventListener('click', () => {
    const content = JSON.stringify({ vivace_challenge_recordings: 1, recordings })
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([content], { type: 'application/json' }))
    link.download = `challenge-${new Date().toISOString().slice(0, 10)}.json`
    link.click()
    URL.revokeObjectURL(link.href)
    isSaved = true
  })
  addEventListener('beforeunload', (event) => {
    if (!isSaved) event.preventDefault()
  })
  update()
}
