/**
 * Measures how machine-readable zones are read: strips of single lines (`mrz_lines/truth.csv`: file, text), rendered pages
 * (`truth.csv`: file, degradation, line1, line2, line3, and printed with the names of the fields that the page shows as its zone does;
 * made by `render-pages.py`), pictures for hints (`truth.csv` of `render-hints.py`), and pictures of documents whose text is not
 * known, of which the check digits tell whether they were read.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type DecodedZone, decodeZone } from '../../../src/documents/mrz/decode-zone.ts'
import type { MrzReading } from '../../../src/documents/reading.ts'
import { inspectImage, openImage } from '../../../src/media/decode-image.ts'
import { openMedium } from '../../../src/media/opened-medium.ts'
import { openLateNetworks } from '../../../src/platform/late-networks.ts'
import { lateNetworks, openModels } from '../../../src/platform/server-models.ts'
import { compileInferenceKernel } from '../../../src/platform/server-wasm.ts'
import { readSettings } from '../../../src/settings.ts'
import { findZones } from '../../../src/vision/document/find-zones.ts'
import { type LineReader, openLineReader } from '../../../src/vision/document/line-reader.ts'
import { openSecondReader } from '../../../src/vision/document/second-reader.ts'
import { capHeight, pitch, type StripPlan } from '../../../src/vision/document/strip.ts'
import { testCodecs, toPyramid } from '../../../test/fixtures/codecs.ts'
import { readText } from '../../../test/fixtures/mrz.ts'
import { type CsvRow, readCsv } from '../csv.ts'
import { groupBy } from '../group-by.ts'
import { InputError } from '../input-error.ts'
import { countErrors } from './count-errors.ts'
import { documentsText, type ReadPage, type ReadStrip } from './documents-report.ts'
import { fieldsText, renderedFieldsText } from './fields-report.ts'
import { listPictures, type MeasuredPage, measureFields, readZoneTruth } from './measure-fields.ts'
import { hasHints, hintsText, measureHints } from './measure-hints.ts'
import { openPeerReaders, type PeerReading, readAsPeer } from './peer-readings.ts'

/** Confidence from which a zone counts as passed off as valid. */
const validMin = 0.8
const pixelsMax = 5e7

interface DocumentOptions {
  pages: number
  /** No page is begun later. */
  minutesMax: number
  /** Pages that other readers read too. */
  peers: number
  json: string | undefined
}

async function openNetworks() {
  const settings = readSettings({ LOG_LEVEL: 'warn', ...process.env })
  const { chosen, manifest } = await openModels(settings)
  const { mrz } = manifest.documents
  if (mrz === undefined) throw new InputError('the manifest names no network for machine-readable zones')
  const engine = openLateNetworks(lateNetworks(settings, chosen.documents), await compileInferenceKernel())
  const { textRecognition } = manifest.documents
  return {
    lazyEngine: engine,
    documents: manifest.documents,
    read: openLineReader(engine, mrz),
    second: textRecognition === undefined ? undefined : openSecondReader(engine, textRecognition),
  }
}

async function withPicture<T>(file: string, work: (pyramid: ReturnType<typeof toPyramid>) => Promise<T>) {
  const bytes = new Uint8Array(await readFile(file))
  const { picture, close } = await openImage(
    testCodecs,
    bytes,
    inspectImage(openMedium(bytes), { pixelsMax }),
  )
  try {
    return await work(toPyramid(picture))
  } finally {
    close()
  }
}

const textOf = ({ lines }: MrzReading): string[] =>
  lines.map(({ characters }) => characters.map(({ symbol }) => symbol).join(''))

/** A strip is print without margin, of known height. */
async function readStrips(folder: string, read: LineReader): Promise<ReadStrip[]> {
  const rows = await readCsv(path.join(folder, 'truth.csv'), 'mrz_lines/truth.csv', ['file', 'text'])
  const strips: ReadStrip[] = []
  for (const { cells } of rows ?? []) {
    const { file = '', text: truth = '', kind = '' } = cells
    const reading = await withPicture(path.join(folder, file), (pyramid) => {
      const { width, height } = pyramid
      const distance = width / (truth.length + 0.2)
      const plan: StripPlan = {
        path: { x: 0, y: height / 2, dx: 1, dy: 0, bend: [0, 0, 0], isMirrored: false },
        along: [-distance, distance / pitch, 0],
        rowStep: (0.62 * height) / capHeight,
        width: Math.ceil(((truth.length + 2.2) * pitch) / 4) * 4,
      }
      return read(pyramid, plan)
    })
    const text = reading.characters.map(({ symbol }) => symbol).join('')
    strips.push({ file, kind, truth, text, errors: countErrors(text, truth) })
  }
  return strips
}

const isPassedOff = (zone: DecodedZone | null): boolean =>
  zone?.isProven === true && zone.confidence >= validMin

/** The networks that read a zone: ours, and the one of printed text where ours is not proven. */
interface Readers {
  read: LineReader
  second: LineReader | undefined
}

async function readPage(file: string, { read, second }: Readers) {
  return withPicture(file, async (pyramid) => {
    let isAsked = false
    const start = performance.now()
    const zones = await findZones(
      read,
      pyramid,
      second &&
        ((...line) => {
          isAsked = true
          return second(...line)
        }),
    )
    const ms = performance.now() - start
    return { ms, isAsked, zones: zones.map((zone) => ({ raw: textOf(zone), decoded: decodeZone(zone) })) }
  })
}

async function readRendered(
  folder: string,
  rows: readonly CsvRow[],
  { minutesMax, ...readers }: Readers & { minutesMax: number },
): Promise<ReadPage[]> {
  const pages: ReadPage[] = []
  const end = performance.now() + 60_000 * minutesMax
  for (const { cells } of rows) {
    if (performance.now() >= end) break
    process.stderr.write(`\r${pages.length + 1} of ${rows.length} pages `)
    const { file = '', degradation = '', format = '', line1 = '', line2 = '', line3 = '' } = cells
    const truth = [line1, line2, line3].filter((line) => line !== '')
    const { ms, isAsked, zones } = await readPage(path.join(folder, file), readers)
    const [found] = zones
    const raw = found?.raw ?? []
    const lines = found?.decoded?.lines ?? raw
    const wanted = truth.join('\n')
    const [alone] = isAsked
      ? (await readPage(path.join(folder, file), { ...readers, second: undefined })).zones
      : zones
    pages.push({
      ...{ isAsked, file, degradation, format, ms, truth, raw, lines },
      isRightAlone: (alone?.decoded?.lines ?? alone?.raw ?? []).join('\n') === wanted,
      isFound: found !== undefined,
      isRawRight: raw.join('\n') === wanted,
      isRight: lines.join('\n') === wanted,
      isValid: isPassedOff(found?.decoded ?? null),
      characters: truth.reduce((sum, line) => sum + line.length, 0),
      errors: countErrors(lines.join(''), truth.join('')),
    })
  }
  process.stderr.write('\n')
  return pages
}

/** The first pages, as other readers read them. */
async function readByPeers(
  folder: string,
  pages: readonly ReadPage[],
  deps: ReaderDeps,
): Promise<PeerReading[]> {
  const readings: PeerReading[] = []
  if (pages.length === 0) return readings
  for (const peer of await openPeerReaders(deps)) {
    for (const [i, page] of pages.entries()) {
      process.stderr.write(`\r${i + 1} of ${pages.length} pages by ${peer.name} `)
      const file = path.join(folder, page.file)
      readings.push(await withPicture(file, (pyramid) => readAsPeer(peer, page, { path: file, pyramid })))
    }
    await peer.close()
  }
  process.stderr.write('\n')
  return readings
}

/** Pictures of documents whose text is not known. */
async function readSpecimens(folder: string, readers: Readers): Promise<string[]> {
  const lines: string[] = []
  const names = (await readdir(folder)).filter((name) => /\.(png|jpe?g|webp)$/i.test(name)).toSorted()
  for (const name of names) {
    const { ms, zones } = await readPage(path.join(folder, name), readers)
    lines.push(`${name}: ${zones.length} zones, ${Math.round(ms)} ms`)
    for (const { decoded, raw } of zones) {
      const checks =
        decoded?.checks.map((check) => `${check.name} ${check.state}`).join(', ') ?? 'no known format'
      lines.push(`  ${decoded?.format ?? '?'} confidence ${(decoded?.confidence ?? 0).toFixed(3)}; ${checks}`)
      for (const line of decoded?.lines ?? raw) lines.push(`  ${line}`)
    }
  }
  return lines
}

type ReaderDeps = Pick<Awaited<ReturnType<typeof openNetworks>>, 'lazyEngine' | 'documents'>

const today = new Date().toISOString().slice(0, 10)

/** The printed pages of the same pictures. */
async function readPrinted(folder: string, deps: ReaderDeps): Promise<MeasuredPage[]> {
  const pages: MeasuredPage[] = []
  for (const file of await listPictures(folder))
    pages.push(await withPicture(file, (pyramid) => measureFields(file, pyramid, deps, { today })))
  return pages
}

/** The printed fields of rendered pages, if they show those of their zones. */
async function readRenderedFields(folder: string, rows: readonly CsvRow[], deps: ReaderDeps) {
  const pages: (MeasuredPage & { degradation: string })[] = []
  for (const { cells } of rows) {
    const { file = '', degradation = '', line1 = '', line2 = '', line3 = '', printed = '' } = cells
    if (printed === '') continue
    process.stderr.write(`\r${pages.length + 1} of ${rows.length} printed pages `)
    const zone = readText(...[line1, line2, line3].filter((line) => line !== ''))
    const shown = new Set(printed.split(' '))
    const stated = Object.entries(readZoneTruth([zone], today) ?? {})
    const known = Object.fromEntries(stated.filter(([name]) => shown.has(name)))
    const place = path.join(folder, file)
    const page = await withPicture(place, (pyramid) => measureFields(place, pyramid, deps, { today, known }))
    pages.push({ ...page, degradation })
  }
  return pages
}

const inMegabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`

/** @throws {InputError} if the folder has nothing to read */
export async function measureDocuments(
  folder: string,
  { pages, peers, minutesMax, json }: DocumentOptions,
): Promise<void> {
  const { read, second, ...deps } = await openNetworks()
  const before = process.memoryUsage.rss()
  const readers: Readers = { read, second }
  const nested = path.join(folder, 'documents')
  const base = (await readdir(nested).catch(() => null)) ? nested : folder
  const names = await readdir(base).catch(() => {
    throw new InputError(`${folder} is not a folder`)
  })
  const strips = names.includes('mrz_lines') ? await readStrips(path.join(base, 'mrz_lines'), read) : []
  const truth = await readCsv(path.join(base, 'truth.csv'), 'truth.csv', [
    'file',
    'degradation',
    'line1',
    'line2',
  ])
  if (truth && hasHints(truth)) {
    const hints = await measureHints(base, truth.slice(0, pages), { deps, withPicture })
    process.stdout.write(hintsText(hints))
    if (json) await writeFile(json, JSON.stringify({ hints }))
    return
  }
  const rendered = truth ? await readRendered(base, truth.slice(0, pages), { ...readers, minutesMax }) : []
  const unread = truth ? Math.min(pages, truth.length) - rendered.length : 0
  if (unread > 0) process.stdout.write(`Time is up: ${unread} pages were not read\n`)
  const peerReadings = await readByPeers(base, rendered.slice(0, peers), deps)
  const specimens = truth ? [] : await readSpecimens(base, readers)
  process.stdout.write(documentsText({ strips, pages: rendered, peers: peerReadings, specimens }))
  const printed = truth ? [] : await readPrinted(base, deps)
  if (printed.length > 0) process.stdout.write(fieldsText(printed))
  const shown = truth ? await readRenderedFields(base, truth.slice(0, pages), deps) : []
  if (shown.length > 0) process.stdout.write(renderedFieldsText(shown))
  process.stdout.write(
    `Resident memory: ${inMegabytes(before)} before the first picture, ${inMegabytes(process.memoryUsage.rss())} after the ` +
      `last one, at most ${inMegabytes(process.resourceUsage().maxRSS * 1024)} since the start\n`,
  )
  if (json)
    await writeFile(
      json,
      JSON.stringify({
        strips,
        pages: rendered,
        peers: peerReadings,
        printed: [...printed, ...shown],
        classes: [...groupBy(rendered, (page) => page.degradation).keys()],
      }),
    )
}
