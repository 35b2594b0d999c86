/** The report of a run: a self-contained page that loads nothing. */
import type { Interval } from '../intervals.ts'
import { shippedRates } from '../matching-figures.ts'
import type { Measurement } from '../measurement.ts'
import { attackSection } from './attack-section.ts'
import { casesSection } from './cases-section.ts'
import { groupSection } from './group-section.ts'
import { type Content, html, Markup, table } from './markup.ts'
import { matchingSection } from './matching-section.ts'
import { countText, intervalText, rateText } from './numbers.ts'
import { style } from './style.ts'

const facts = (kind: string, rows: readonly (readonly [string, Content])[]): Markup =>
  html`<dl class="${kind}">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`

/** A rate in large digits, with its counts. */
const keyFigure = (rate: number | null, note: string, interval: Interval | null): Markup =>
  html`${rateText(rate)}<small>${note}</small>${
    interval ? html`<small>95 % interval ${intervalText(interval)}</small>` : null
  }`

const share = (errors: number, trials: number, of: string) =>
  `${countText(errors)} of ${countText(trials)} ${of}`

function keyFigures({ matching, attack }: Measurement): Markup {
  const rows: [string, Content][] = []
  if (matching && matching.pairs.length > 0) {
    const { figures, accuracy } = matching
    const { fmr, fnmr } = shippedRates(figures.all, figures.threshold)
    rows.push(
      ['FNMR: missed', keyFigure(fnmr.rate, share(fnmr.errors, fnmr.trials, 'mated pairs'), fnmr.interval)],
      [
        'FMR: strangers matched',
        keyFigure(fmr.rate, share(fmr.errors, fmr.trials, 'non-mated pairs'), fmr.interval),
      ],
      ['Pairs judged rightly', keyFigure(accuracy, `at the score ${figures.threshold}`, null)],
    )
  }
  for (const [title, name, of] of [
    ['APCER: attacks passed', 'all attacks', 'attacks'],
    ['BPCER: bona fide declined', 'all bona fide', 'samples'],
  ] as const) {
    const set = attack.figures.find((one) => one.name === name)
    const at = set?.at.find(({ threshold }) => threshold === attack.threshold)
    if (set && at) rows.push([title, keyFigure(at.rate, share(at.errors, set.count, of), at.interval)])
  }
  return html`<section id="summary"><h2>In short</h2>${facts('facts key', rows)}</section>`
}

function head(report: Measurement): Markup {
  const { matching } = report
  return html`<header><h1>Accuracy of profile ${report.profile}</h1>
<p class="soft">Vivace, measured on ${report.date.slice(0, 10)} at ${report.date.slice(11, 16)} UTC</p>
<nav aria-label="Sections"><ul><li><a href="#matching">Matching</a></li>${
    matching && matching.figures.groups.length > 0 ? html`<li><a href="#groups">Groups</a></li>` : null
  }<li><a href="#attacks">Attack detection</a></li><li><a href="#worst">Worst cases</a></li><li><a href="#unassessed">Not assessed</a></li><li><a href="#run">This run</a></li></ul></nav></header>`
}

function runSection(report: Measurement): Markup {
  const { machine, matching, models } = report
  return html`<section id="run"><h2>This run</h2>
${facts('facts', [
  ['profile', `${report.profile}, assurance ${report.assurance}`],
  ['templates', report.templateModelId],
  ['cohort', report.cohort],
  ['pictures', countText(report.pictures)],
  ['people', countText(report.people)],
  ['pairs', countText((matching?.pairs.length ?? 0) + (matching?.notCompared ?? 0))],
  ['processor', machine.cpu],
  ['cores', machine.cores],
  ['runtime', machine.runtime],
])}
${table(
  'Networks',
  [{ title: 'task' }, { title: 'id' }, { title: 'name' }],
  models.map(({ task, id, name }) => [task, id, name]),
)}</section>`
}

const words = html`<section id="words"><h2>Words</h2>
<dl><dt><b>Mated, non-mated pair</b></dt><dd>two pictures of one person; of two people.</dd>
<dt><b>FNMR</b></dt><dd>share of mated pairs that do not match at a threshold.</dd>
<dt><b>FMR</b></dt><dd>share of non-mated pairs that match.</dd>
<dt><b>EER</b></dt><dd>the rate at the threshold where both are equal.</dd>
<dt><b>APCER, BPCER</b></dt><dd>share of attacks that pass as bona fide; share of bona fide samples that are declined.</dd>
<dt><b>Log odds</b></dt><dd>ln(score / (1 − score)): scores crowd at 0 and 1, log odds do not.</dd>
<dt><b>95 % interval</b></dt><dd>where the rate may well lie for other people like these. No error among few people proves little.</dd></dl></section>`

/** The whole page. */
export const reportPage = (report: Measurement): string =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>Accuracy of profile ${report.profile}, ${report.date.slice(0, 10)}</title>
<style>${new Markup(style)}</style></head>
<body>${head(report)}<main>${keyFigures(report)}${matchingSection(report)}${groupSection(report)}${attackSection(report)}${casesSection(report)}${runSection(report)}${words}</main>
<footer class="soft"><p>This page loads nothing from elsewhere. File names are those of the tables.${
    report.thumbnails ? ' It shows faces: treat it like the pictures themselves.' : null
  }</p></footer></body></html>
`.text
