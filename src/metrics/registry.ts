/** Counters, histograms and gauges, written in the Prometheus text format (version 0.0.4). */

/** Values of labels by name. They come from closed lists, never from callers: each combination is kept for good. */
type Labels = Readonly<Record<string, string>>

/** A value at the time of reading. */
export interface Reading {
  labels: Labels
  value: number
}

interface Family {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  /** The lines of its series. */
  write(): string[]
}

export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8'

const escapeHelp = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
const escapeValue = (text: string): string => escapeHelp(text).replaceAll('"', '\\"')

function writeLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeValue(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const writeNumber = (value: number): string =>
  Number.isFinite(value) ? String(value) : value > 0 ? '+Inf' : value < 0 ? '-Inf' : 'NaN'

const line = (name: string, labels: Labels, value: number): string =>
  `${name}${writeLabels(labels)} ${writeNumber(value)}`

/** Counts up from zero. */
class Counter {
  readonly #values = new Map<string, Reading>()

  /** Shows the series at zero: an increase from nothing to one is none for Prometheus. */
  begin(labels: Labels = {}): void {
    this.add(labels, 0)
  }

  add(labels: Labels = {}, amount = 1): void {
    const key = JSON.stringify(labels)
    const known = this.#values.get(key)
    if (known) known.value += amount
    else this.#values.set(key, { labels, value: amount })
  }

  read(): Reading[] {
    return [...this.#values.values()]
  }
}

interface Observations {
  labels: Labels
  /** One per bound, and one for what is above all. */
  counts: number[]
  sum: number
}

/** Counts values by upper bounds, and sums them. */
class Histogram {
  readonly #bounds: readonly number[]
  readonly #values = new Map<string, Observations>()

  /** @param bounds in ascending order */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
  }

  /** Shows the series with nothing in it. @returns it */
  begin(labels: Labels = {}): Observations {
    const key = JSON.stringify(labels)
    const known = this.#values.get(key) ?? {
      labels,
      counts: Array<number>(this.#bounds.length + 1).fill(0),
      sum: 0,
    }
    this.#values.set(key, known)
    return known
  }

  observe(labels: Labels, value: number): void {
    const known = this.begin(labels)
    const place = this.#bounds.findIndex((bound) => value <= bound)
    known.counts[place === -1 ? this.#bounds.length : place]! += 1
    known.sum += value
  }

  write(name: string): string[] {
    return [...this.#values.values()].flatMap(({ labels, counts, sum }) => {
      let total = 0
      const buckets = counts.map((count, place) => {
        total += count
        const le = writeNumber(this.#bounds[place] ?? Number.POSITIVE_INFINITY)
        return line(`${name}_bucket`, { ...labels, le }, total)
      })
      return [...buckets, line(`${name}_sum`, labels, sum), line(`${name}_count`, labels, total)]
    })
  }
}

/**
 * The metrics of one process.
 * @example
 * ```ts
 * import { Registry } from './registry.ts'
 *
 * const registry = new Registry()
 * const calls = registry.counter('calls_total', 'Calls by route')
 * calls.add({ route: '/a' })
 * calls.add({ route: '/a' })
 * await registry.write() // → '# HELP calls_total Calls by route\n# TYPE calls_total counter\ncalls_total{route="/a"} 2\n'
 * ```
 */
export class Registry {
  readonly #families: Family[] = []
  /** Run before each writing, for gauges whose values must be fetched. */
  readonly #refreshes: (() => Promise<void>)[] = []

  /** @param name ends with `_total` */
  counter(name: string, help: string): Counter {
    const counter = new Counter()
    this.#addReadings(name, help, 'counter', () => counter.read())
    return counter
  }

  histogram(name: string, help: string, bounds: readonly number[]): Histogram {
    const histogram = new Histogram(bounds)
    this.#families.push({ name, help, type: 'histogram', write: () => histogram.write(name) })
    return histogram
  }

  /** @param read called for each writing */
  gauge(name: string, help: string, read: () => readonly Reading[]): void {
    this.#addReadings(name, help, 'gauge', read)
  }

  /** A counter that something else keeps. */
  countedElsewhere(name: string, help: string, read: () => readonly Reading[]): void {
    this.#addReadings(name, help, 'counter', read)
  }

  beforeWriting(refresh: () => Promise<void>): void {
    this.#refreshes.push(refresh)
  }

  async write(): Promise<string> {
    await Promise.all(this.#refreshes.map((refresh) => refresh()))
    const lines = this.#families.flatMap(({ name, help, type, write }) => {
      const series = write()
      return series.length === 0
        ? []
        : [`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`, ...series]
    })
    return `${lines.join('\n')}\n`
  }

  #addReadings(name: string, help: string, type: 'counter' | 'gauge', read: () => readonly Reading[]): void {
    this.#families.push({
      name,
      help,
      type,
      write: () => read().map(({ labels, value }) => line(name, labels, value)),
    })
  }
}
