import path from 'node:path'
import MiniSearch from 'minisearch'
import { beforeAll, describe, expect, it } from 'vitest'
import { buildGuide } from '../../../scripts/pages/build-guide.ts'
import { indexOptions, searchOptions } from '../../../web/guide/search-index.ts'

const root = path.resolve(import.meta.dirname, '..', '..', '..')
/** Results that people see without scrolling. */
const first = 3

/** Questions as people type them, and the heading that answers each. */
const questions: readonly (readonly [question: string, answer: string])[] = [
  ['how do I get a token for my backend', 'how-does-my-backend-get-a-token'],
  ['what does score mean', 'what-does-the-score-mean'],
  ['picture size', 'how-large-should-the-picture-be'],
  ["how can I delete a person's data", 'how-do-i-delete-a-persons-data'],
  ['how do webhooks sign', 'how-are-webhooks-signed-and-what-if-one-is-lost'],
  ['higher threshold', 'how-do-i-make-it-stricter'],
  ['checks per minute', 'how-many-checks-per-minute-does-one-machine-make'],
  ['two replicas', 'can-i-run-two-replicas'],
  ['why was this selfie declined', 'why-was-this-selfie-declined'],
  ['known pass and fail inputs', 'how-do-i-test-declined-in-my-own-tests'],
  ['cors error from my frontend', 'why-does-my-page-get-a-cors-error'],
  ['camera does not open in webview', 'why-does-the-camera-not-start'],
  ['heic photos from iphone', 'which-file-formats-are-read'],
  ['nginx 413 request entity too large', 'why-is-an-upload-refused-behind-my-proxy'],
  ['can it run without internet', 'does-it-run-offline'],
  ['is a gpu required', 'does-it-need-a-gpu'],
  ['commercial use license', 'may-i-use-it-commercially'],
  ['how many faces in a collection', 'how-many-faces-can-a-list-hold'],
  ['same person low similarity', 'why-do-two-pictures-of-one-person-not-match'],
  ['does it detect deepfakes', 'does-it-detect-deepfakes-masks-and-screens'],
  ['how to upgrade without losing data', 'how-do-i-upgrade-without-losing-data'],
  ['wie kann ich Daten löschen', 'how-do-i-delete-a-persons-data'],
  ['warum wurde das Selfie abgelehnt', 'why-was-this-selfie-declined'],
  ['как удалить данные человека', 'how-do-i-delete-a-persons-data'],
  ['камера не открывается', 'why-does-the-camera-not-start'],
  ['por qué fue rechazado el selfie', 'why-was-this-selfie-declined'],
  ['permisos de la cámara', 'why-does-the-camera-not-start'],
]

describe('the search of the guide', () => {
  let index: MiniSearch

  beforeAll(async () => {
    const { searchIndex } = await buildGuide(root, '{{content}}')
    index = MiniSearch.loadJSON(searchIndex, indexOptions)
  })

  const find = (question: string) => index.search(question, searchOptions)

  it.each(questions)('answers "%s"', (question, answer) => {
    const found = find(question)
      .slice(0, first)
      .map(({ id }) => id)
    expect(found).toContain(`/guide/questions#${answer}`)
  })

  it('finds nothing by words that every question has', () => {
    expect(find('how do I')).toEqual([])
    expect(find('wie kann ich')).toEqual([])
  })

  it('finds words in another form', () => {
    const ids = (text: string) => new Set(find(text).map(({ id }) => id))
    expect(ids('deleting')).toEqual(ids('deleted'))
  })

  it('gives the text of each section without the marks of Markdown', () => {
    const section = find('why was this selfie declined').find(({ id }) => id.includes('selfie-declined'))!
    expect(section.text).toContain('poor in technical_meta_data.samples')
    expect(section.text).not.toContain('words:')
    expect(section.text).not.toContain('](')
  })
})
