import type { AttackSet } from '../attack-figures.ts'
import type { Measurement } from '../measurement.ts'
import { detPoints } from '../metrics.ts'
import { detChart } from './det-chart.ts'
import { histogram, rangeOf, type ScoreKind } from './histogram.ts'
import { html, type Markup, table } from './markup.ts'
import { countText, intervalText, logOddsOf, rateText } from './numbers.ts'

type Attack = Measurement['attack']

const kindsOf = (samples: Attack['samples']): ScoreKind[] =>
  [true, false].map((isBonaFide) => ({
    name: isBonaFide ? 'bona fide' : 'attacks',
    series: isBonaFide ? 0 : 1,
    logOdds: samples.filter(({ bonaFide }) => bonaFide === isBonaFide).map(({ score }) => logOddsOf(score)),
  }))

function attackDet({ samples, figures, threshold }: Attack): Markup {
  const scores = (isBonaFide: boolean) =>
    samples.filter(({ bonaFide }) => bonaFide === isBonaFide).map(({ score }) => score)
  const [bonaFide, attacks] = [scores(true), scores(false)]
  if (bonaFide.length === 0 || attacks.length === 0) return html``
  const rateAt = (name: string) =>
    figures.find((set) => set.name === name)?.at.find((row) => row.threshold === threshold)?.rate ?? 0
  return detChart({
    id: 'attack-det',
    title: 'Attacks that pass against people who are declined, at every threshold',
    xName: 'BPCER',
    yName: 'APCER',
    resolution: 1 / Math.max(bonaFide.length, attacks.length),
    // Attacks below the threshold are errors, like mated pairs; bona fide samples at or above it are errors.
    curves: [
      {
        name: 'all attacks and bona fide samples',
        points: detPoints({ mated: attacks, nonMated: bonaFide }).map(({ fmr, fnmr }) => ({
          x: fmr,
          y: fnmr,
        })),
      },
    ],
    marks: [{ label: `score ${threshold}`, x: rateAt('all bona fide'), y: rateAt('all attacks') }],
  })
}

const ratesTable = (
  caption: string,
  head: string,
  rate: string,
  errors: string,
  sets: readonly AttackSet[],
) =>
  table(
    caption,
    [
      { title: head },
      { title: 'samples', isNumber: true },
      ...(sets[0]?.at ?? []).flatMap(({ threshold }) =>
        [`${errors} at ${threshold}`, `${rate} at ${threshold}`, '95 % interval'].map((title) => ({
          title,
          isNumber: true,
        })),
      ),
    ],
    sets.map(({ name, count, at }) => [
      name,
      countText(count),
      ...at.flatMap((row) => [countText(row.errors), rateText(row.rate), intervalText(row.interval)]),
    ]),
  )

export function attackSection({ attack }: Measurement): Markup {
  const { figures, samples, threshold, areaUnderCurve } = attack
  if (samples.length === 0)
    return html`<section id="attacks"><h2>Presentation attack detection</h2><p>No sample was assessed.</p></section>`
  const [attacks, bonaFide] = [
    figures.filter(({ kind }) => kind === 'attack'),
    figures.filter(({ kind }) => kind === 'bona fide'),
  ]
  const kinds = kindsOf(samples)
  const range = rangeOf(threshold, kinds)
  const names = [...new Set(samples.map(({ detail }) => detail))]
  return html`<section id="attacks"><h2>Presentation attack detection</h2>
<p>A sample is declined from the attack score ${threshold}. ${attacks.length === 0 ? 'There are no attacks among the pictures, so nothing is said about attacks that pass. ' : null}${areaUnderCurve === null ? null : `An attack gets a higher score than a bona fide sample in ${rateText(areaUnderCurve)} of all couples. `}</p>
<div class="charts">${attackDet(attack)}${histogram({ id: 'attack-all', isTall: true, title: 'Attack scores, as shares of their kind', kinds, threshold, range })}</div>
${attacks.length > 0 ? ratesTable('Attacks that pass, by species', 'species', 'APCER', 'passed', attacks) : null}
${bonaFide.length > 0 ? ratesTable('Bona fide samples that are declined, by source', 'source', 'BPCER', 'declined', bonaFide) : null}
<p class="note">Intervals are Wilson’s and count every picture for itself; pictures of one person or one session say less than their number.</p>
<h3>Attack scores by source</h3>
<div class="charts">${names.map((name, i) => histogram({ id: `attack-${i}`, title: name, kinds: kindsOf(samples.filter(({ detail }) => detail === name)), threshold, range }))}</div>
</section>`
}
