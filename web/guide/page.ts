/** Search in the guide. Without scripts, its pages are read all the same. */
import MiniSearch from 'minisearch'
import { find, h } from '../dom.ts'
import { indexOptions } from './search-index.ts'

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

async function search(): Promise<void> {
  const wanted = input.value.trim()
  if (wanted === '') {
    list.hidden = true
    status.textContent = ''
    return
  }
  const index = await loadIndex().catch(() => null)
  if (wanted !== input.value.trim()) return
  if (!index) {
    list.hidden = false
    list.replaceChildren(h('li', {}, noSearch))
    status.textContent = noSearch
    return
  }
  const found = index.search(wanted, { prefix: true, fuzzy: 0.15, boost: { title: 3, page: 2 } })
  list.hidden = false
  list.replaceChildren(
    ...found
      .slice(0, shownMax)
      .map(({ id, title, page }) =>
        h('li', {}, h('a', { href: id }, h('strong', {}, title), h('span', { class: 'hint' }, page))),
      ),
  )
  if (found.length === 0) list.append(h('li', {}, 'Nothing was found.'))
  status.textContent = `${found.length} found`
}

input.hidden = false
input.addEventListener('focus', () => void loadIndex().catch(() => {}), { once: true })
input.addEventListener('input', () => void search())
window.addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape') return
  input.value = ''
  void search()
})
list.addEventListener('click', () => {
  list.hidden = true
})

// Beside the page there is room for the contents.
const contents = document.querySelector<HTMLDetailsElement>('.contents')!
const isWide = matchMedia('(min-width: 62rem)')
const unfold = () => {
  contents.open = isWide.matches
}
isWide.addEventListener('change', unfold)
unfold()
