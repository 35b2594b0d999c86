/** The part of the address after `#`, which names a view: `#/folders/ID?page=2`. The server never sees it. */
import { signal } from '@preact/signals'
import { decodePart } from '../address.ts'

interface Route {
  /** Parts of the path; `[]` at the start. */
  path: readonly string[]
  query: URLSearchParams
}

function readRoute(): Route {
  const [path = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?')
  return { path: path.split('/').filter(Boolean).map(decodePart), query: new URLSearchParams(query) }
}

export const route = signal<Route>(readRoute())
window.addEventListener('hashchange', () => {
  route.value = readRoute()
})

/** What the query of each list was when it was left. */
const leftQueries = new Map<string, URLSearchParams>()

route.subscribe(({ path: [name, id], query }) => {
  if (name !== undefined && id === undefined) leftQueries.set(name, query)
})

/** Forgets how lists were left: another person may come. */
export const forgetLists = (): void => leftQueries.clear()

/** What the query of the current view asks for. */
export const asked = (name: string): string | undefined => route.value.query.get(name) || undefined

type QueryValues = Readonly<Record<string, string | number | null | undefined>>

function hashOf(path: readonly string[], query: QueryValues = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === null || value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  const search = new URLSearchParams(given).toString()
  return `#/${path.map(encodeURIComponent).join('/')}${search && `?${search}`}`
}

export const linkTo = (...path: string[]): string => hashOf(path)

/** A list with filters. */
export const linkToFiltered = (name: string, filters: QueryValues): string => hashOf([name], filters)

/** Leads back to a list as it was left; from the list itself to all of it. */
export function linkToList(name: string): string {
  const isShown = route.value.path.length === 1 && route.value.path[0] === name
  return hashOf([name], isShown ? {} : Object.fromEntries(leftQueries.get(name) ?? []))
}

export function goTo(...path: string[]): void {
  location.hash = hashOf(path)
}

/** Changes parts of the query of the current view; `null` and `''` remove one. */
export function setQuery(change: QueryValues): void {
  const { path, query } = route.peek()
  location.hash = hashOf(path, { ...Object.fromEntries(query), ...change })
}
