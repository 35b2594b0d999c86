import type { ComparedPair, MatchingFigures, MatchingSet, Rate } from '../matching-figures.ts'
import { shippedRates } from '../matching-figures.ts'
import type { Measurement } from '../measurement.ts'
import { detPoints } from '../metrics.ts'
import { curvesMax, detChart } from './det-chart.ts'
import { histogram, rangeOf, type ScoreKind } from './histogram.ts'
import { type Column, html, type Markup, table } from './markup.ts'
import { countText, intervalText, rateText, scoreText } from './numbers.ts'

const number = (title: string): Column => ({ title, isNumber: true })

/** An interval with the mark that is explained below the first table. */
const markedInterval = ({ interval, method }: Pick<Rate, 'interval' | 'method'>): string =>
  `${intervalText(interval)}${interval && method === 'wilson' ? ' *' : ''}`

/** Errors, trials, rate and interval: four cells. */
export const rateCells = (rate: Rate) => [
  countText(rate.errors),
  countText(rate.trials),
  rateText(rate.rate),
  markedInterval(rate),
]
const rateColumns = (name: string, errors: string, trials: string) =>
  [errors, trials, name, `${name}, 95 % interval`].map(number)

const kindsOf = (pairs: readonly ComparedPair[]): ScoreKind[] => [
  { name: 'mated', series: 0, logOdds: pairs.filter(({ mated }) => mated).map(({ logOdds }) => logOdds) },
  {
    name: 'non-mated',
    series: 1,
    logOdds: pairs.filter(({ mated }) => !mated).map(({ logOdds }) => logOdds),
  },
]

/** Histograms side by side on one axis. */
export function matchingHistograms(
  id: string,
  sets: readonly { name: string; pairs: readonly ComparedPair[] }[],
  { threshold, range }: { threshold: number; range: readonly [number, number] },
): Markup {
  return html`<div class="charts">${sets.map(({ name, pairs }, i) =>
    histogram({ id: `${id}-${i}`, title: name, kinds: kindsOf(pairs), threshold, range }),
  )}</div>`
}

export const rangeOfPairs = (pairs: readonly ComparedPair[], threshold: number) =>
  rangeOf(threshold, kindsOf(pairs))

function detOf(pairs: readonly ComparedPair[]) {
  const scores = (isMated: boolean) =>
    pairs.filter(({ mated }) => mated === isMated).map(({ logOdds }) => logOdds)
  return detPoints({ mated: scores(true), nonMated: scores(false) }).map(({ fmr, fnmr }) => ({
    x: fmr,
    y: fnmr,
  }))
}

function matchingDet(pairs: readonly ComparedPair[], { all, sources, threshold }: MatchingFigures): Markup {
  const shipped = shippedRates(all, threshold)
  const drawn = sources
    .filter(({ mated, nonMated }) => mated > 0 && nonMated > 0)
    .sort((a, b) => b.mated + b.nonMated - a.mated - a.nonMated)
    .slice(0, sources.length > 1 ? curvesMax - 1 : 0)
  return detChart({
    id: 'matching-det',
    title:
      'Missed pairs against matched strangers at every threshold: the nearer to the lower left, the better',
    xName: 'FMR',
    yName: 'FNMR',
    resolution: 1 / Math.max(all.mated, all.nonMated),
    curves: [
      { name: 'all sources', points: detOf(pairs) },
      ...drawn.map(({ name }) => ({ name, points: detOf(pairs.filter(({ source }) => source === name)) })),
    ],
    marks: [{ label: `score ${threshold}`, x: shipped.fmr.rate ?? 0, y: shipped.fnmr.rate ?? 0 }],
  })
}

const sourceRow = (set: MatchingSet, threshold: number) => {
  const { fmr, fnmr } = shippedRates(set, threshold)
  return [set.name, countText(set.people), ...rateCells(fnmr), ...rateCells(fmr), rateText(set.eer)]
}

const fnmrAtTable = (sets: readonly MatchingSet[]) =>
  table(
    'FNMR where FMR is at most 1 % and 0.1 %',
    [
      { title: 'source' },
      ...['FNMR at FMR 1 %', '95 % interval', 'FNMR at FMR 0.1 %', '95 % interval'].map(number),
    ],
    sets
      .filter(({ mated, nonMated }) => mated > 0 && nonMated > 0)
      .map(({ name, fnmrAt }) => [
        name,
        ...fnmrAt.flatMap((rate) => [rateText(rate.fnmr), markedInterval(rate)]),
      ]),
  )

export function matchingSection({ matching }: Measurement): Markup {
  if (!matching || matching.pairs.length === 0)
    return html`<section id="matching"><h2>Matching</h2><p>No pair was compared.</p></section>`
  const { figures, pairs, notCompared } = matching
  const { all, sources, threshold } = figures
  const range = rangeOfPairs(pairs, threshold)
  return html`<section id="matching"><h2>Matching</h2>
<p>${countText(pairs.length)} pairs were compared, ${countText(notCompared)} were not${notCompared > 0 ? ' and count in no rate' : ''}. A pair matches from the score ${threshold}.</p>
<div class="charts">${matchingDet(pairs, figures)}${histogram({ id: 'matching-all', isTall: true, title: 'Comparison scores of all pairs, as shares of their kind', kinds: kindsOf(pairs), threshold, range })}</div>
${table(
  'Errors by threshold',
  [
    { title: 'score' },
    ...rateColumns('FNMR', 'missed', 'of mated'),
    ...rateColumns('FMR', 'matched', 'of non-mated'),
  ],
  all.at.map((row) => [
    row.threshold === threshold ? html`<b>${row.threshold}</b> (set)` : row.threshold,
    ...rateCells(row.fnmr),
    ...rateCells(row.fmr),
  ]),
)}
<p class="note">Intervals: ${countText(figures.rounds)} times as many people as there are were drawn anew, with replacement. Rows with * have errors of fewer than ten couples of people: there the interval is Wilson’s, with each couple counted once, since resampling does not know errors that were not met.</p>
${table(
  `Errors by source at the score ${threshold}`,
  [
    { title: 'source' },
    number('people'),
    ...rateColumns('FNMR', 'missed', 'of mated'),
    ...rateColumns('FMR', 'matched', 'of non-mated'),
    number('EER'),
  ],
  [...sources, all].map((set) => sourceRow(set, threshold)),
)}
${fnmrAtTable([...sources, all])}
<h3>Scores by source</h3>
${matchingHistograms(
  'matching-source',
  sources.map(({ name }) => ({ name, pairs: pairs.filter(({ source }) => source === name) })),
  { threshold, range },
)}
${spreadTable(pairs, sources)}
</section>`
}

/** The data of the histograms as a table. */
function spreadTable(pairs: readonly ComparedPair[], sources: readonly MatchingSet[]): Markup {
  const rows = [...sources.map(({ name }) => name), null].flatMap((name) =>
    kindsOf(pairs.filter(({ source }) => name === null || source === name)).map(({ name: kind, logOdds }) => {
      const sorted = [...logOdds].sort((a, b) => a - b)
      const at = (share: number) => {
        const value = sorted[Math.round(share * (sorted.length - 1))]
        return value === undefined ? null : scoreText(1 / (1 + Math.exp(-value)))
      }
      return [`${name ?? 'all'}, ${kind}`, countText(sorted.length), ...[0, 0.05, 0.5, 0.95, 1].map(at)]
    }),
  )
  return table(
    'Comparison scores',
    [{ title: 'source' }, ...['pairs', 'lowest', '5 %', 'median', '95 %', 'highest'].map(number)],
    rows.filter(([, count]) => count !== '0'),
  )
}
