/** The text of `npm run accuracy -- documents`. */
import { groupBy } from '../group-by.ts'
import { median, percent } from './numbers.ts'
import type { PeerReading } from './peer-readings.ts'

/** A strip of one line. */
export interface ReadStrip {
  file: string
  kind: string
  truth: string
  text: string
  errors: number
}

/** A rendered page. */
export interface ReadPage {
  file: string
  degradation: string
  format: string
  ms: number
  truth: readonly string[]
  /** As read, and as decoded with the check digits. */
  raw: readonly string[]
  lines: readonly string[]
  isFound: boolean
  isRawRight: boolean
  isRight: boolean
  /** By our network alone. */
  isRightAlone: boolean
  /** Whether the network of printed text read the zone too. */
  isAsked: boolean
  /** Passed off as valid. */
  isValid: boolean
  characters: number
  errors: number
}

interface DocumentResults {
  strips: readonly ReadStrip[]
  pages: readonly ReadPage[]
  peers: readonly PeerReading[]
  /** What was read on pictures whose text is not known, line by line. */
  specimens: readonly string[]
}

function stripsText(strips: readonly ReadStrip[]): string[] {
  const lines = ['Strips of single lines', '']
  for (const [kind, rows] of groupBy(strips, (strip) => strip.kind)) {
    const right = rows.filter(({ errors }) => errors === 0).length
    const symbols = rows.reduce((sum, { truth }) => sum + truth.length, 0)
    const errors = rows.reduce((sum, strip) => sum + strip.errors, 0)
    lines.push(
      `${kind}: ${rows.length} lines, ${percent(right, rows.length)} wholly right, ` +
        `${percent(symbols - errors, symbols)} of ${symbols} characters`,
    )
  }
  return [...lines, '']
}

function pagesText(pages: readonly ReadPage[]): string[] {
  const row = (name: string, rows: readonly ReadPage[]): string => {
    const count = (test: (page: ReadPage) => boolean) => rows.filter(test).length
    const symbols = rows.reduce((sum, { characters }) => sum + characters, 0)
    const errors = rows.reduce((sum, page) => sum + Math.min(page.errors, page.characters), 0)
    const cells = [
      String(rows.length),
      percent(
        count(({ isFound }) => isFound),
        rows.length,
      ),
      percent(
        count(({ isRawRight }) => isRawRight),
        rows.length,
      ),
      percent(
        count(({ isRight }) => isRight),
        rows.length,
      ),
      percent(
        count(({ isRightAlone }) => isRightAlone),
        rows.length,
      ),
      String(count(({ isAsked }) => isAsked)),
      percent(symbols - errors, symbols),
      percent(
        count(({ isValid, isRight }) => isValid && isRight),
        rows.length,
      ),
      String(count(({ isValid, isRight }) => isValid && !isRight)),
      String(Math.round(median(rows.map(({ ms }) => ms)))),
    ]
    return `${name.padEnd(16)}${cells.map((cell) => cell.padStart(10)).join('')}`
  }
  const head = [
    'pages',
    'found',
    'as read',
    'decoded',
    'alone',
    'asked',
    'characters',
    'valid',
    'wrong',
    'ms',
  ]
  return [
    'Rendered pages: whole zones right as read, as decoded, and as decoded without the second network; zones that it was asked to read;',
    'passed off as valid and right, and wrong; median ms',
    '',
    `${''.padEnd(16)}${head.map((cell) => cell.padStart(10)).join('')}`,
    ...[...groupBy(pages, (page) => page.degradation)].map(([name, rows]) => row(name, rows)),
    row('all', pages),
    '',
    secondText(pages),
    '',
  ]
}

/** How often the second network is asked, and how long zones take with and without it. */
function secondText(pages: readonly ReadPage[]): string {
  const [asked, alone] = [true, false].map((isAsked) => pages.filter((page) => page.isAsked === isAsked))
  const time = (rows: readonly ReadPage[]) => `${Math.round(median(rows.map(({ ms }) => ms)))} ms`
  return (
    `The second network was asked for ${asked!.length} of ${pages.length} zones (${percent(asked!.length, pages.length)}): ` +
    `median ${time(asked!)}, of the others ${time(alone!)}`
  )
}

/** Ours and other readers on the same pages. */
function peersText(pages: readonly ReadPage[], peers: readonly PeerReading[]): string[] {
  const files = new Set(peers.map(({ file }) => file))
  const names = [...new Set(peers.map(({ peer }) => peer))]
  const read = (rows: readonly { isRight: boolean; characters: number; errors: number }[]) => {
    const symbols = rows.reduce((sum, { characters }) => sum + characters, 0)
    const errors = rows.reduce((sum, row) => sum + Math.min(row.errors, row.characters), 0)
    const right = rows.filter(({ isRight }) => isRight).length
    return [percent(right, rows.length), percent(symbols - errors, symbols)]
  }
  const row = (name: string, isIn: (degradation: string) => boolean): string => {
    const ours = pages.filter(({ file, degradation }) => files.has(file) && isIn(degradation))
    const cells = [
      String(ours.length),
      ...read(ours),
      String(Math.round(median(ours.map(({ ms }) => ms)))),
      ...names.flatMap((peer) => {
        const rows = peers.filter((reading) => reading.peer === peer && isIn(reading.degradation))
        return [...read(rows), String(Math.round(median(rows.map(({ ms }) => ms))))]
      }),
    ]
    return `${name.padEnd(16)}${cells.map((cell) => cell.padStart(11)).join('')}`
  }
  const heads = ['pages', ...['ours', ...names].flatMap(() => ['right', 'characters', 'ms'])]
  return [
    `The same pages by other readers: all lines of the zone without an error, characters, median ms (${['ours', ...names].join(', ')})`,
    '',
    `${''.padEnd(16)}${heads.map((cell) => cell.padStart(11)).join('')}`,
    ...[...groupBy(pages, (page) => page.degradation).keys()].map((name) =>
      row(name, (degradation) => degradation === name),
    ),
    row('all', () => true),
    '',
  ]
}

export function documentsText({ strips, pages, peers, specimens }: DocumentResults): string {
  const lines = [
    ...(strips.length > 0 ? stripsText(strips) : []),
    ...(pages.length > 0 ? pagesText(pages) : []),
    ...(peers.length > 0 ? peersText(pages, peers) : []),
    ...(specimens.length > 0 ? ['Pictures', '', ...specimens, ''] : []),
  ]
  return `${lines.join('\n')}\n`
}
