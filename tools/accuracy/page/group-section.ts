import { groupNameOf, shippedRates } from '../matching-figures.ts'
import type { Measurement } from '../measurement.ts'
import { type Content, html, type Markup, table } from './markup.ts'
import { matchingHistograms, rangeOfPairs, rateCells } from './matching-section.ts'
import { countText, scoreText } from './numbers.ts'

/** Matching by group of people; empty if the table has no groups. */
export function groupSection({ matching }: Measurement): Markup {
  if (!matching || matching.figures.groups.length === 0) return html``
  const { figures, pairs } = matching
  const { groups, threshold } = figures
  const highest = (name: string) => {
    const scores = pairs.filter((pair) => !pair.mated && groupNameOf(pair) === name)
    return scores.reduce<number | null>(
      (most, { score }) => (most === null || score > most ? score : most),
      null,
    )
  }
  /** Required scores, with the highest of all groups in bold. */
  const needed = (at: number): Content[] => {
    const scores = groups.map(({ scoreFor }) => scoreFor[at]?.above ?? null)
    const most = Math.max(...scores.map((score) => score ?? Number.NEGATIVE_INFINITY))
    return scores.map((score) =>
      score === null ? 'too few pairs' : score === most ? html`<b>${scoreText(score)}</b>` : scoreText(score),
    )
  }
  const [at1, at01] = [needed(0), needed(1)]
  const number = (title: string) => ({ title, isNumber: true })
  return html`<section id="groups"><h2>Groups of people</h2>
<p>Strangers of one group are more alike than strangers of two, and networks tell some groups apart better than others. A group of which more strangers match than of others is treated worse.</p>
${table(
  `Errors by group at the score ${threshold}`,
  [
    { title: 'group' },
    ...[
      'people',
      'matched',
      'of non-mated',
      'FMR',
      '95 % interval',
      'missed',
      'of mated',
      'FNMR',
      '95 % interval',
    ].map(number),
  ],
  groups.map((set) => {
    const { fmr, fnmr } = shippedRates(set, threshold)
    return [set.name, countText(set.people), ...[fmr, fnmr].flatMap(rateCells)]
  }),
)}
${table(
  'Threshold that each group needs: FMR is at most so much above this score (the strictest in bold)',
  [{ title: 'group' }, ...['FMR 1 %', 'FMR 0.1 %', 'highest score of strangers'].map(number)],
  groups.map(({ name }, i) => [name, at1[i] ?? null, at01[i] ?? null, scoreText(highest(name))]),
)}
<h3>Scores by group</h3>
${matchingHistograms(
  'group',
  groups.map(({ name }) => ({
    name,
    pairs: pairs.filter((pair) => groupNameOf(pair) === name),
  })),
  { threshold, range: rangeOfPairs(pairs, threshold) },
)}
</section>`
}
