import type { AssessedSample } from '../attack-figures.ts'
import type { ComparedPair } from '../matching-figures.ts'
import type { Measurement } from '../measurement.ts'
import { html, type Markup, table } from './markup.ts'
import { scoreText } from './numbers.ts'

type Thumbnails = Measurement['thumbnails']

const shown = (files: readonly string[], thumbnails: Thumbnails): Markup =>
  html`${files.map((file) => {
    const source = thumbnails?.get(file)
    return html`<span class="file">${source ? html`<img src="${source}" alt="">` : null}<span>${file}</span></span>`
  })}`

/** A row of the table of cases. */
interface Case {
  score: number
  files: readonly string[]
  source: string
  /** Why it is an error; `null` if it is none. */
  error: string | null
}

const caseTable = (caption: string, scoreTitle: string, cases: readonly Case[], thumbnails: Thumbnails) =>
  cases.length === 0
    ? html``
    : table(
        caption,
        [{ title: scoreTitle, isNumber: true }, { title: 'pictures' }, { title: 'source' }, { title: '' }],
        cases.map(({ score, files, source, error }) => [
          scoreText(score),
          shown(files, thumbnails),
          source,
          error,
        ]),
      )

const pairTable = (
  caption: string,
  rows: readonly ComparedPair[],
  isWrong: (row: ComparedPair) => string | null,
  thumbnails: Thumbnails,
) => {
  const cases = rows.map((row) => ({ ...row, files: [row.a, row.b], error: isWrong(row) }))
  return caseTable(caption, 'score', cases, thumbnails)
}

const sampleTable = (
  caption: string,
  rows: readonly AssessedSample[],
  isWrong: (row: AssessedSample) => string | null,
  thumbnails: Thumbnails,
) => {
  const cases = rows.map((row) => ({ ...row, files: [row.file], source: row.detail, error: isWrong(row) }))
  return caseTable(caption, 'attack score', cases, thumbnails)
}

/** The worst cases by name, and media without a score. */
export function casesSection({ worst, matching, attack, unassessed, thumbnails }: Measurement): Markup {
  const threshold = matching?.figures.threshold ?? 1
  return html`<section id="worst"><h2>Worst cases</h2>
<p>Look here first: a wrong label is found sooner than an error of the network.</p>
${pairTable('One person, lowest scores', worst.mated, ({ score }) => (score < threshold ? 'missed' : null), thumbnails)}
${pairTable('Strangers, highest scores', worst.nonMated, ({ score }) => (score >= threshold ? 'matched' : null), thumbnails)}
${sampleTable('Bona fide, highest attack scores', worst.bonaFide, ({ score }) => (score >= attack.threshold ? 'declined' : null), thumbnails)}
${sampleTable('Attacks, lowest attack scores', worst.attacks, ({ score }) => (score < attack.threshold ? 'passed' : null), thumbnails)}
</section>
<section id="unassessed"><h2>Not assessed</h2>
${
  unassessed.length === 0
    ? html`<p>Every picture was assessed.</p>`
    : table(
        'Pictures without a score',
        [{ title: 'picture' }, { title: 'reason' }],
        unassessed.map(({ file, reason }) => [file, reason]),
      )
}</section>`
}
