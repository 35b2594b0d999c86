/** Search in the guide, and the addresses of this server in its examples. Without scripts, its pages are read all the same. */
import MiniSearch, { type SearchResult } from 'minisearch'
import { find, h } from '../dom.ts'
import { excerptOf } from './excerpt.ts'
import { indexOptions, searchOptions } from './search-index.ts'

const shownMax = 12
const noSearch = 'The server does not answer. Type on to search again.'
const input = find<HTMLInputElement>('search')
const list = find('found')
const status = find('status')

let loading: Promise<MiniSearch> | null = null

/** The index is loaded when somebody wants to search. */
function loadIndex(): Promise<MiniSearch> {
  loading ??= fetch('/pages/guide/search.json')
    .then(async (response) => {
      if (!response.ok) throw new Error(`status ${response.status}`)
      return MiniSearch.loadJSON(await response.text(), indexOptions)
    })
    .catch((error: unknown) => {
      // The next attempt asks again.
      loading = null
      throw error
    })
  return loading
}

/** The results that the arrow keys lead through, and the chosen one; −1 for none. */
let results: HTMLAnchorElement[] = []
let chosen = -1

function choose(index: number): void {
  results[chosen]?.setAttribute('aria-selected', 'false')
  chosen = index
  const result = results[chosen]
  result?.setAttribute('aria-selected', 'true')
  result?.scrollIntoView({ block: 'nearest' })
  if (result) input.setAttribute('aria-activedescendant', result.id)
  else input.removeAttribute('aria-activedescendant')
}

function show(found: readonly HTMLAnchorElement[], message: string | null = null): void {
  list.replaceChildren(
    ...(message === null ? found : [h('p', { role: 'option', 'aria-disabled': 'true' }, message)]),
  )
  list.hidden = list.childElementCount === 0
  input.setAttribute('aria-expanded', String(!list.hidden))
  results = [...found]
  choose(-1)
}

function linkTo({ id, title, page, text, terms }: SearchResult, index: number): HTMLAnchorElement {
  const excerpt = excerptOf(text, terms).map((part) => (part.isMatch ? h('mark', {}, part.text) : part.text))
  return h(
    'a',
    { href: id, id: `found-${index}`, role: 'option', 'aria-selected': 'false', tabindex: '-1' },
    h('strong', {}, title),
    h('span', { class: 'hint' }, page),
    h('span', { class: 'excerpt' }, ...excerpt),
  )
}

async function search(): Promise<void> {
  const wanted = input.value.trim()
  if (wanted === '') {
    show([])
    status.textContent = ''
    return
  }
  const index = await loadIndex().catch(() => null)
  if (wanted !== input.value.trim()) return
  if (!index) {
    show([], noSearch)
    status.textContent = noSearch
    return
  }
  const found = index.search(wanted, searchOptions)
  show(found.slice(0, shownMax).map(linkTo), found.length === 0 ? 'Nothing was found.' : null)
  status.textContent = `${found.length} found`
}

input.hidden = false
input.addEventListener('focus', () => void loadIndex().catch(() => {}), { once: true })
input.addEventListener('input', () => void search())
input.addEventListener('keydown', (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step !== undefined && results.length > 0) {
    event.preventDefault()
    choose(Math.max(-1, Math.min(results.length - 1, chosen + step)))
  }
  if (event.key === 'Enter') results[Math.max(0, chosen)]?.click()
})
window.addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape') return
  input.value = ''
  void search()
})
list.addEventListener('click', () => show([]))

/** The address of the examples: that of a server on the reader's machine. */
const exampleAddress = 'http://127.0.0.1:8000'
for (const element of document.querySelectorAll('main code, main a')) {
  for (const node of element.childNodes)
    if (node.nodeType === Node.TEXT_NODE)
      node.nodeValue = node.nodeValue!.replaceAll(exampleAddress, location.origin)
  const href = element.getAttribute('href')
  if (href) element.setAttribute('href', href.replace(exampleAddress, location.origin))
}

// Beside the page there is room for the contents.
const contents = document.querySelector<HTMLDetailsElement>('.contents')!
const isWide = matchMedia('(min-width: 62rem)')
const unfold = () => {
  contents.open = isWide.matches
}
isWide.addEventListener('change', unfold)
unfold()
