import { describe, expect, it } from 'vitest'
import { attackFigures } from '../../../tools/accuracy/attack-figures.ts'
import { type ComparedPair, matchingFigures } from '../../../tools/accuracy/matching-figures.ts'
import type { Measurement } from '../../../tools/accuracy/measurement.ts'
import { sharesOf } from '../../../tools/accuracy/page/histogram.ts'
import { escapeHtml, html } from '../../../tools/accuracy/page/markup.ts'
import { intervalText, rateText, scoreText } from '../../../tools/accuracy/page/numbers.ts'
import { reportPage } from '../../../tools/accuracy/page/page.ts'
import { worstCases } from '../../../tools/accuracy/worst-cases.ts'

const hostile = `faces/<img src="http://evil.example/x" onerror='alert(1)'>&.jpg`

const pair = (i: number, mated: boolean, score: number): ComparedPair => ({
  a: mated ? hostile : `faces/p${i}/1.jpg`,
  b: `faces/p${i}/2.jpg`,
  people: [`p${i}`, mated ? `p${i}` : 'other'],
  mated,
  source: hostile,
  group: i % 2 ? hostile : 'south',
  score,
  logOdds: Math.log(score / (1 - score)),
})
const pairs = [...Array(12).keys()].flatMap((i) => [
  pair(i, true, 0.8 + i / 70),
  pair(i, false, 0.1 + i / 15),
])
const samples = [...Array(12).keys()].map((i) => ({
  file: hostile,
  bonaFide: i % 2 === 0,
  detail: hostile,
  score: (i + 0.5) / 12,
}))

const measurement = (changes: Partial<Measurement> = {}): Measurement => ({
  profile: 'standard',
  assurance: 'standard',
  models: [{ task: 'face detection', id: 'finder', name: 'Finder' }],
  templateModelId: 'network-1',
  cohort: 'cohort-1',
  date: '2026-11-22T10:11:12.000Z',
  machine: { cpu: 'A processor', cores: 2, runtime: 'Node 20' },
  pictures: 36,
  people: 12,
  matching: { figures: matchingFigures(pairs, 0.85), accuracy: 0.9, pairs, notCompared: 0 },
  attack: { figures: attackFigures(samples, 0.5), samples, threshold: 0.5, areaUnderCurve: 0.5 },
  worst: worstCases(pairs, samples, 5),
  unassessed: [{ file: hostile, reason: 'No face was found' }],
  thumbnails: null,
  ...changes,
})

describe('the report', () => {
  const page = reportPage(measurement())

  it('lets no file name become markup', () => {
    expect(escapeHtml(`<a href="x">'&`)).toBe('&lt;a href=&quot;x&quot;&gt;&#39;&amp;')
    expect(html`<p>${'<b>'}${html`<i>`}${[1, null]}</p>`.text).toBe('<p>&lt;b&gt;<i>1</p>')
    expect(page).not.toContain('<img')
    expect(page).toContain('&lt;img src=&quot;http://evil.example/x&quot;')
  })

  it('refers to nothing outside itself', () => {
    const references = [...page.matchAll(/\s(?:src|href|action|srcset|data)="([^"]*)"/g)].map(([, to]) => to!)
    expect(references.length).toBeGreaterThan(3)
    expect(references.filter((to) => !/^(#[a-z]+|data:image\/jpeg;base64,)/.test(to))).toEqual([])
    expect(page).not.toMatch(/<(script|link|iframe|object|embed)|@import|url\(/)
  })

  it('has what its own links and labels name', () => {
    const ids = new Set([...page.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id))
    const named = [...page.matchAll(/href="#([^"]*)"|aria-labelledby="([^"]*)"/g)].flatMap(([, to, labels]) =>
      (to ?? labels ?? '').split(' '),
    )
    expect(named.filter((id) => !ids.has(id))).toEqual([])
    expect(ids.size).toBe([...page.matchAll(/\sid="/g)].length)
  })

  it('draws no point that is no number', () => {
    expect(page).not.toMatch(/NaN|Infinity|undefined|\[object/)
  })

  it('tells every chart in words', () => {
    const charts = page.split('<svg').filter((part) => part.includes('role="img"'))
    expect(charts.length).toBeGreaterThan(5)
    for (const drawn of charts) expect(drawn).toMatch(/<title [^>]*>.+<\/title><desc [^>]*>.+<\/desc>/)
  })

  it('shows pictures only where it is given some', () => {
    const shown = reportPage(measurement({ thumbnails: new Map([[hostile, 'data:image/jpeg;base64,AAAA']]) }))
    expect(shown).toContain('<img src="data:image/jpeg;base64,AAAA"')
  })

  it('stands without pairs, groups, attacks or any sample', () => {
    const empty = matchingFigures([], 0.85)
    const pages = [
      measurement({ matching: null }),
      measurement({ matching: { figures: empty, accuracy: null, pairs: [], notCompared: 3 } }),
      measurement({
        attack: { figures: [], samples: [], threshold: 0.5, areaUnderCurve: null },
        worst: worstCases([], [], 5),
      }),
    ].map(reportPage)
    for (const text of pages) expect(text).not.toMatch(/NaN|Infinity|undefined/)
    expect(pages[0]).not.toContain('id="groups"')
    expect(pages[0]).not.toContain('href="#groups"')
  })
})

it('puts every score into one bar', () => {
  const shares = sharesOf([-5, 0, 4.99, 5, 99], [-5, 5])
  expect(shares.reduce((sum, share) => sum + share)).toBeCloseTo(1)
  expect(shares.at(-1)).toBeCloseTo(0.6)
  expect(shares[24]).toBeCloseTo(0.2)
})

it('writes rates and scores with the places that tell them apart', () => {
  expect(
    [0, 0.00021, 0.0125, 0.609, 0.9988, 1, null].map((rate) => rateText(rate).replace('\u00a0', ' ')),
  ).toEqual([...['0 %', '0.021 %', '1.25 %', '60.9 %', '99.88 %', '100 %', '–']])
  expect(intervalText({ low: 0, high: 0.05 })).toBe('0 to 5.00\u00a0%')
  expect([0.85, 0.99995, 1, 0].map(scoreText)).toEqual([
    '0.850',
    '0.999950',
    'above 0.99999',
    'below 0.00001',
  ])
})
