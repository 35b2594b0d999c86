/** Divides ranges of time into whole months, days and hours, so that few counts are read. */
import { beginOfSpan, numberOfSpan, type Span, type TimeRange } from './statistics.ts'

/** The spans from the longest one that may be used down to the hour. */
const usable: Readonly<Record<Span, readonly Span[]>> = {
  month: ['month', 'day', 'hour'],
  day: ['day', 'hour'],
  hour: ['hour'],
}

/**
 * The spans that a range consists of, as few as possible.
 * @param range on full hours
 * @example
 * ```ts
 * import { splitRange } from './time-spans.ts'
 *
 * const range = { fromMs: Date.UTC(2026, 0, 30, 23), toMs: Date.UTC(2026, 2, 1) }
 * const { hour, day, month } = splitRange(range, 'month')
 * [hour.length, day.length, month.length] // → [1, 1, 1]
 * ```
 */
export function splitRange({ fromMs, toMs }: TimeRange, longest: Span): Record<Span, number[]> {
  const parts: Record<Span, number[]> = { hour: [], day: [], month: [] }
  for (let at = fromMs; at < toMs; ) {
    const span = usable[longest].find((candidate) => {
      const number = numberOfSpan(candidate, at)
      return beginOfSpan(candidate, number) === at && beginOfSpan(candidate, number + 1) <= toMs
    })
    if (span === undefined) break
    const number = numberOfSpan(span, at)
    parts[span].push(number)
    at = beginOfSpan(span, number + 1)
  }
  return parts
}
