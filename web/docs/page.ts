/** The API reference: every operation with its input, its answers, and a form that calls it. */
import { decodePart } from '../address.ts'
import { find, h, prose } from '../dom.ts'
import { makeCaller, session } from './caller.ts'
import { type ApiDocument, exampleOf, follow, listOperations, type PlacedOperation } from './document.ts'
import { showSchema } from './schema.ts'

function showAnswers(document: ApiDocument, { responses }: PlacedOperation): HTMLElement {
  const rows = Object.entries(responses).map(([status, given]) => {
    const { description, content } = follow(document, given)
    const [type, first] = Object.entries(content ?? {})[0] ?? []
    const head = [
      h('code', { class: status.startsWith('2') ? 'good' : '' }, status),
      ' ',
      ...prose(description),
      type && type !== 'application/json' ? ` (${type})` : null,
    ]
    if (type !== 'application/json' || !first) return h('li', {}, ...head)
    const details = h('details', {}, h('summary', {}, ...head))
    const open = () => {
      const example = JSON.stringify(exampleOf(document, first), null, 2)
      details.append(
        showSchema(document, first.schema),
        h('details', {}, h('summary', {}, 'Example'), h('pre', { tabindex: 0 }, example)),
      )
    }
    details.addEventListener('toggle', open, { once: true })
    return h('li', {}, details)
  })
  return h('ul', { class: 'answers' }, ...rows)
}

const access = ({ security }: PlacedOperation): string =>
  security.length === 0
    ? 'Needs no token.'
    : security.length === 1
      ? 'Needs a token.'
      : 'Whether it needs a token depends on the settings of the server.'

function fillOperation(document: ApiDocument, operation: PlacedOperation): HTMLElement {
  const bodies = Object.entries(operation.requestBody?.content ?? {})
  return h(
    'div',
    { class: 'operation' },
    h(
      'div',
      {},
      h('p', { class: 'hint' }, access(operation)),
      ...bodies.flatMap(([type, { schema }]) => [
        h('h3', {}, 'Body', h('span', { class: 'type' }, ` ${type}`)),
        showSchema(document, schema),
      ]),
      h('h3', {}, 'Answers'),
      showAnswers(document, operation),
    ),
    h('div', {}, h('h3', {}, 'Try it'), makeCaller(document, operation)),
  )
}

function showOperation(document: ApiDocument, operation: PlacedOperation): HTMLDetailsElement {
  const { operationId, method, path, summary } = operation
  const details = h(
    'details',
    { id: operationId, class: 'card' },
    h(
      'summary',
      {},
      h('span', { class: `method ${method.toLowerCase()}` }, method),
      h('code', {}, path),
      h('span', { class: 'summary' }, ...prose(summary)),
    ),
  )
  details.addEventListener('toggle', () => details.append(fillOperation(document, operation)), { once: true })
  return details
}

/** Opens the operation that the address names. */
function openNamed(): void {
  const named = document.getElementById(decodePart(location.hash.slice(1)))
  if (!(named instanceof HTMLDetailsElement)) return
  named.open = true
  named.scrollIntoView()
}

function listenToSearch(operations: readonly PlacedOperation[]): void {
  const search = find<HTMLInputElement>('search')
  const show = () => {
    const words = search.value.toLowerCase().split(/\s+/)
    for (const { operationId, method, path, summary, tags } of operations) {
      const text = `${method} ${path} ${summary} ${tags}`.toLowerCase()
      find(operationId).hidden = !words.every((word) => text.includes(word))
    }
    const sections = [...document.querySelectorAll<HTMLElement>('section.tag')]
    for (const section of sections)
      section.hidden = section.querySelector('details.card:not([hidden])') === null
    find('nothing').textContent = sections.every(({ hidden }) => hidden)
      ? 'No operation has these words.'
      : ''
  }
  search.addEventListener('input', show)
  // What was typed while the reference was read.
  show()
}

async function open(): Promise<void> {
  const response = await fetch('/openapi.json')
  if (!response.ok) throw new Error(`status ${response.status}`)
  const api = (await response.json()) as ApiDocument
  const operations = listOperations(api)
  find('version').textContent = api.info.version
  find('tags').replaceChildren(
    ...api.tags.map(({ name }) => h('li', {}, h('a', { href: `#tag-${name}` }, name))),
  )
  find('reference').replaceChildren(
    ...api.tags.map(({ name, description }) =>
      h(
        'section',
        { class: 'tag', id: `tag-${name}` },
        h('h2', {}, name),
        description ? h('p', { class: 'hint' }, ...prose(description)) : null,
        ...operations
          .filter(({ tags }) => tags[0] === name)
          .map((operation) => showOperation(api, operation)),
      ),
    ),
  )
  listenToSearch(operations)
  openNamed()
}

find<HTMLInputElement>('token').addEventListener('input', ({ target }) => {
  session.token = (target as HTMLInputElement).value.trim()
})
window.addEventListener('hashchange', openNamed)
open().catch((error: unknown) => {
  const reason = error instanceof Error ? error.message : String(error)
  find('reference').replaceChildren(h('p', { role: 'alert' }, `The reference cannot be read: ${reason}`))
})
