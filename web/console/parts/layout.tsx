/** What views are made of: heading, cards, facts, tables, pages of lists. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { writeExactJson } from '../../../src/exact-json.ts'
import { formatExactTime, formatNumber, formatTime, t, word } from '../language.ts'
import type { Loaded } from '../load.ts'
import { route, setQuery } from '../route.ts'
import { waitingCount } from '../waiting.ts'
import { stateTones, stateWords } from '../words.ts'

interface ViewProps {
  title: string
  /** Beside the heading. */
  actions?: ComponentChildren
  children: ComponentChildren
}

/** A view of the console. Its heading gets the focus, so that screen readers tell where they are. */
export function View({ title, actions, children }: ViewProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const place = route.value.path.join('/')
  useEffect(() => {
    heading.current?.focus({ preventScroll: true })
    window.scrollTo(0, 0)
  }, [place])
  useEffect(() => {
    const waiting = waitingCount.value ? `(${formatNumber(waitingCount.value)}) ` : ''
    document.title = `${waiting}${title} · Vivace`
  }, [title, waitingCount.value])
  return (
    <>
      <div class="view-head">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {actions && <div class="row">{actions}</div>}
      </div>
      {children}
    </>
  )
}

export const Card = ({ title, children }: { title?: string; children: ComponentChildren }) => (
  <section class="card">
    {title && <h2>{title}</h2>}
    {children}
  </section>
)

/** Shows what was loaded, or why not. */
export function Show<T>({ of, children }: { of: Loaded<T>; children: (data: T) => ComponentChildren }) {
  const { data, problem, reload } = of
  return (
    <>
      {problem && (
        <p class="problem" role="alert">
          {problem}{' '}
          <button type="button" class="link" onClick={reload}>
            {t('Try again')}
          </button>
        </p>
      )}
      {data === null
        ? !problem && (
            <p class="hint" role="status">
              {t('Loading…')}
            </p>
          )
        : children(data)}
    </>
  )
}

export const Empty = ({ children }: { children: ComponentChildren }) => <p class="empty">{children}</p>

export const State = ({ name }: { name: string }) => (
  <span class={`state ${stateTones[name] ?? 'none'}`}>{word(name, stateWords)}</span>
)

export const Time = ({ at }: { at: number }) => (
  <time dateTime={new Date(at * 1000).toISOString()} title={formatExactTime(at)}>
    {formatTime(at)}
  </time>
)

type Fact = readonly [name: string, value: ComponentChildren]

/** A name that breaks after its underscores. */
const breakable = (name: string) =>
  name.split(/(?<=_)/).flatMap((part, place) => (place === 0 ? [part] : [<wbr key={place} />, part]))

/** Names and values; facts without a value are left out. */
export const Facts = ({ of }: { of: readonly Fact[] }) => (
  <dl class="facts">
    {of
      .filter(([, value]) => value !== null && value !== undefined && value !== false && value !== '')
      .map(([name, value]) => (
        <div key={name}>
          <dt>{breakable(name)}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
)

/** Names and values that others have chosen: the heading says so, since one of them may look like a verdict of the service. */
export function ForeignFacts({ title, of }: { title: string; of: Readonly<Record<string, unknown>> }) {
  const show = (value: unknown) => (typeof value === 'string' ? value : writeExactJson(value))
  const facts = Object.entries(of).map(([name, value]) => [name, show(value)] as const)
  if (facts.length === 0) return null
  return (
    <section class="foreign" aria-label={title}>
      <h3>{title}</h3>
      <Facts of={facts} />
    </section>
  )
}

export interface TableProps<Row> {
  label: string
  /** Whether it stays a table on narrow screens: for a few short columns. */
  isShort?: boolean
  columns: readonly (readonly [name: string, cell: (row: Row) => ComponentChildren])[]
  rows: readonly Row[]
  keyOf(row: Row): string | number
}

/** The first column names the row. Narrow screens show each row as a list of names and values. */
export function Table<Row>({ label, isShort = false, columns, rows, keyOf }: TableProps<Row>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section class="scroll" tabIndex={0} aria-label={label}>
      <table class={isShort ? '' : 'lists'}>
        <thead>
          <tr>
            {columns.map(([name]) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(([name, cell], place) =>
                place === 0 ? (
                  <th key={name} scope="row">
                    {cell(row)}
                  </th>
                ) : (
                  <td key={name} data-name={name}>
                    <div>{cell(row)}</div>
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** The page of the current list, counted from 0, as the address has it. */
export const pageOf = (): number =>
  Math.max(0, Number.parseInt(route.value.query.get('page') ?? '1', 10) - 1 || 0)

interface PagesProps {
  size: number
  /** `null` if it is not known: a further page is offered while this one is full. */
  total: number | null
  shown: number
}

export function Pages({ size, total, shown }: PagesProps) {
  const page = pageOf()
  const isLast = total === null ? shown < size : (page + 1) * size >= total
  if (page === 0 && isLast) return null
  const first = page * size + 1
  const range = { first, last: page * size + shown, total: total ?? '' }
  // What was on this page may be gone.
  const before = shown === 0 && total !== null ? Math.ceil(total / size) : page
  return (
    <nav class="pages" aria-label={t('Pages')}>
      <button
        type="button"
        disabled={page === 0}
        onClick={() => setQuery({ page: before <= 1 ? null : before })}
      >
        {t('Previous')}
      </button>
      <span>
        {shown === 0
          ? t('Nothing is on this page.')
          : total === null
            ? t('{first} to {last}', range)
            : t('{first} to {last} of {total}', range)}
      </span>
      <button type="button" disabled={isLast} onClick={() => setQuery({ page: page + 2 })}>
        {t('Next')}
      </button>
    </nav>
  )
}
