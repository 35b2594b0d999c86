/** Generates the tables of the documents from the figures. */
import { groupBy } from '../../tools/accuracy/group-by.ts'
import { table } from '../markdown.ts'
import { formatCommand, isMeasuredFor } from './commands.ts'
import { type Figures, type Profile, profiles, type StepName, type Values } from './figures-file.ts'
import { formatRate, ms, number, share } from './number-text.ts'
import { type Rate, totalRate } from './rate.ts'
import type { FileStep } from './read-results.ts'

const none = '—'

/** One line of a table, with the text for a profile's values. */
interface Row<Step extends FileStep> {
  step: Step
  label: string
  text: (values: Values<Step>) => string
}

const row = <Step extends FileStep>(
  step: Step,
  label: string,
  text: (values: Values<Step>) => string,
): Row<FileStep> => ({ step, label, text: text as Row<FileStep>['text'] })

function listValues<Step extends StepName>(
  figures: Figures,
  step: Step,
  profile: Profile,
): Values<Step> | undefined {
  return figures[step]?.[profile]?.values as Values<Step> | undefined
}

function formatCell(figures: Figures, { step, text }: Row<FileStep>, profile: Profile): string {
  if (!isMeasuredFor(step, profile)) return 'the same'
  const values = listValues(figures, step, profile)
  return values ? text(values) : none
}

/** Large colour portraits of today; all other bona fide pictures are grey, tiny or coarsely compressed. */
const portraitSources = new Set([
  'bona fide',
  'paired pictures, Azure-Samples/cognitive-services-sample-data-files',
  'paired pictures, vladmandic/human',
])

const sumDeclined = ({ bonaFideDeclined }: Values<'pictures'>, arePortraits: boolean): Rate =>
  totalRate(
    Object.entries(bonaFideDeclined)
      .filter(([source]) => portraitSources.has(source) === arePortraits)
      .map(([, rate]) => rate),
  )

const formatUndecided = (count: number): string => (count === 0 ? '' : `; ${count} not decided`)

function largestSearch({ sizes }: Values<'search'>): string {
  const count = Math.max(...Object.keys(sizes).map(Number))
  const { p50Ms, p95Ms, indexMb } = sizes[count]!
  return `${number(count)}: ${ms(p50Ms)}, p95 ${ms(p95Ms)}; ${indexMb.toFixed(0)} MB`
}

const readmeRows: readonly Row<FileStep>[] = [
  row('pictures', '1:1 FNMR: mated pairs that do not match', ({ missed }) => formatRate(missed)),
  row('pictures', '1:1 FMR: non-mated pairs that match', ({ falseMatches }) => formatRate(falseMatches)),
  row('pictures', 'photos, BPCER: colour portraits declined', (values) =>
    formatRate(sumDeclined(values, true)),
  ),
  row('pictures', 'photos: grey, tiny or coarsely compressed pictures that do not pass', (values) =>
    formatRate(sumDeclined(values, false)),
  ),
  row(
    'clips',
    'clips, APCER: moved stills that pass',
    ({ movedPassed, movedUndecided }) => formatRate(movedPassed) + formatUndecided(movedUndecided),
  ),
  row(
    'clips',
    'clips, APCER: held stills that pass',
    ({ heldPassed, heldUndecided }) => formatRate(heldPassed) + formatUndecided(heldUndecided),
  ),
  row(
    'clips',
    'clips, BPCER: people declined',
    ({ peopleDeclined, peopleUndecided }) => formatRate(peopleDeclined) + formatUndecided(peopleUndecided),
  ),
  row('identify', '1:N FPIR: searches for strangers that return somebody', ({ falsePositives }) =>
    formatRate(falsePositives),
  ),
  row('identify', '1:N FNIR: searches for enrolled people that miss them', ({ missed }) =>
    formatRate(missed),
  ),
  row('photo', 'photo of 1280 pixels, all stages, one core', ({ medianMs }) => ms(medianMs)),
  row(
    'photo',
    'photos over HTTP, liveness',
    ({ requestsPerMinute, p95Ms, workers }) =>
      `${requestsPerMinute.toFixed(0)} per minute, p95 ${ms(p95Ms)}, ${workers} workers`,
  ),
  row(
    'video',
    'clip of 5 s, H.264 720p, all stages, one core; FFmpeg, decoding only',
    ({ wholeMs, nativeDecodeMs }) => `${ms(wholeMs)}; ${ms(nativeDecodeMs)}`,
  ),
]

/** What the README does not show. */
const speedRows: readonly Row<FileStep>[] = [
  row(
    'video',
    'clips over HTTP, liveness',
    ({ clipsPerMinute, p95Ms, workers }) =>
      `${clipsPerMinute.toFixed(0)} per minute, p95 ${ms(p95Ms)}, ${workers} workers`,
  ),
  row('search', '1:N: number of templates: time of one search, one core; memory', largestSearch),
  row(
    'start',
    'start-up; first start, which builds the networks',
    ({ startMs, firstStartMs }) =>
      `${ms(startMs)}; ${firstStartMs === null ? 'needs a download' : ms(firstStartMs)}`,
  ),
  row(
    'start',
    'first answer after the start; later answers',
    ({ firstAnswerMs, laterAnswerMs }) => `${ms(firstAnswerMs)}; ${ms(laterAnswerMs)}`,
  ),
]

/** Rows of steps that were measured in at least one profile. */
const filterMeasured = (figures: Figures, rows: readonly Row<FileStep>[]) =>
  rows.filter(({ step }) => figures[step] !== undefined)

/** The steps and profiles that were not measured. */
export const missingResults = (figures: Figures): [step: FileStep, profile: Profile][] =>
  [...new Set([...readmeRows, ...speedRows].map(({ step }) => step))].flatMap((step) =>
    profiles
      .filter((profile) => isMeasuredFor(step, profile) && figures[step]?.[profile] === undefined)
      .map((profile): [FileStep, Profile] => [step, profile]),
  )

const list = (items: readonly string[]): string =>
  items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`

const stepWords: Record<FileStep, string> = {
  pictures: 'pictures',
  clips: 'clips',
  attacks: 'animated stills',
  edits: 'edits',
  identify: '1:N errors',
  search: '1:N search',
  photo: 'speed of photos',
  video: 'speed of clips',
  start: 'start-up',
  runtimes: 'speed',
  memory: 'memory',
}

/** Describes when and on which machine the steps were measured, in one clause if it is the same for all. */
function describeMeasurement(figures: Figures, steps: readonly FileStep[]): string {
  const places = new Map<string, Map<string, Set<FileStep>>>()
  for (const step of steps) {
    for (const profile of profiles) {
      const entry = figures[step]?.[profile]
      if (!entry) continue
      const { cpu, cores, memoryGb, runtime } = entry.machine
      const place = `on ${cpu} (${cores} cores, ${memoryGb} GB), ${runtime}`
      const dates = places.get(place) ?? new Map<string, Set<FileStep>>()
      places.set(place, dates.set(entry.date, (dates.get(entry.date) ?? new Set()).add(step)))
    }
  }
  const clauses = [...places].map(([place, dates]) => {
    const [date] = dates.keys()
    if (places.size === 1 && dates.size === 1) return `${date} ${place}`
    const measuredThere = [...dates].map(
      ([day, found]) => `${list([...found].map((step) => stepWords[step]))} ${day}`,
    )
    return `${place}: ${measuredThere.join(', ')}`
  })
  return `Measured ${clauses.join('; ')}.`
}

function writeTable(figures: Figures, rows: readonly Row<FileStep>[], areCommandsShown: boolean): string {
  const shown = filterMeasured(figures, rows)
  const steps = [...new Set(shown.map(({ step }) => step))]
  const lines = shown.map((line, i) => [
    line.label,
    ...profiles.map((profile) => formatCell(figures, line, profile)),
    // The command is shown once for all rows of a step.
    ...(areCommandsShown ? [shown[i - 1]?.step === line.step ? '' : `\`${formatCommand(line.step)}\``] : []),
  ])
  const head = ['', ...profiles, ...(areCommandsShown ? ['repeat with'] : [])]
  return `${describeMeasurement(figures, steps)}\n\n${table(head, lines)}`
}

/** What the README does not show. */
const matchingRows: readonly Row<FileStep>[] = [
  row('pictures', 'EER', ({ eer }) => (eer === null ? none : share(eer))),
  row('pictures', 'FNMR at FMR 1 %', ({ missedAtFmr1Percent }) => formatRate(missedAtFmr1Percent)),
  row('pictures', 'FNMR at FMR 0.1 %', ({ missedAtFmr01Percent }) => formatRate(missedAtFmr01Percent)),
  row('pictures', 'faces not found', ({ undetected }) => `${undetected}`),
]

/** What the README does not show. */
const identificationRows: readonly Row<FileStep>[] = [
  row('identify', 'FNIR at rank 1 (another person ranks first)', ({ missedAtRank1 }) =>
    formatRate(missedAtRank1),
  ),
  row('identify', 'FNIR at FPIR 1 %', ({ missedAtFpir1Percent }) => formatRate(missedAtFpir1Percent)),
]

/** Attacks, and each source of bona fide pictures: errors at each threshold, of how many. */
function padRows(figures: Figures): Row<FileStep>[] {
  const names = profiles.flatMap((profile) =>
    (listValues(figures, 'pictures', profile)?.attackRates ?? []).map(({ name }) => name),
  )
  return [...new Set(names)].map((name) =>
    row('pictures', name, ({ attackRates }) => {
      const found = attackRates.find((rate) => rate.name === name)
      return found
        ? `${found.errors.map(({ errors }) => errors).join(', ')} of ${found.of}`
        : formatRate(null)
    }),
  )
}

/** A table of one step that has rows of its own, under when and where it was measured. */
function writeOwn<Step extends FileStep>(
  figures: Figures,
  step: Step,
  head: readonly string[],
  rowsOf: (values: Values<Step>) => string[][],
): string {
  const values = listValues(figures, step, 'standard')
  if (!values) return `Not measured yet: \`${formatCommand(step)}\`.`
  const place = `${describeMeasurement(figures, [step])} Repeat with \`${formatCommand(step)}\`, profile \`standard\`.`
  return `${place}\n\n${table(head, rowsOf(values))}`
}

type Species = Values<'attacks'>['species'][number]

/** What kinds of one attack have in common: the name without its variant and size. */
const familyOf = ({ name }: Species): string => name.replace(/,.*| (?:of|in|by) \d.*/, '')

const nameFamily = ([family, members]: readonly [string, readonly { name: string }[]]): string =>
  members.length === 1 ? members[0]!.name : `${family}, ${members.length} kinds`

const sumOf = <Key extends string>(rows: readonly Readonly<Record<Key, number>>[], key: Key): number =>
  rows.reduce((sum, row) => sum + row[key], 0)

/** The kind of which the largest share passes. */
const worstOf = (kinds: readonly Species[]): Species =>
  kinds.reduce((worst, kind) => (kind.passed * worst.decided > worst.passed * kind.decided ? kind : worst))

/** Kinds of one attack are one row, and so are all kinds of attacks that never pass. */
export const attacksTable = (figures: Figures): string =>
  writeOwn(
    figures,
    'attacks',
    ['clips', 'pass', 'worst kind', 'by the frames alone', 'not decided'],
    ({ species }) => {
      const families = groupBy(species, familyOf)
      const passes = (kind: Species) => sumOf(families.get(familyOf(kind))!, 'passed') > 0
      const passing = species.filter(passes)
      const stopped = species.filter((kind) => !passes(kind))
      return [...groupBy(passing, familyOf), ...groupBy(stopped, () => 'all others')].map((family) => {
        const [, kinds] = family
        const { passed, decided } = worstOf(kinds)
        return [
          nameFamily(family),
          `${sumOf(kinds, 'passed')} of ${sumOf(kinds, 'decided')}`,
          kinds.length === 1 || passed === 0 ? '' : `${passed} of ${decided}`,
          `${sumOf(kinds, 'passedByFrames')}`,
          `${sumOf(kinds, 'undecided')}`,
        ]
      })
    },
  )

type Edit = Values<'edits'>[number]['edits'][number]

/** Borders: what passes without and with them. Other edits: what passes of those that were declined, or of people of those that passed. */
function formatEdits(group: string, edits: readonly Edit[]): string {
  const borders = edits.flatMap(({ border }) => border ?? [])
  if (borders.length > 0)
    return `${sumOf(borders, 'passedWithout')} → ${sumOf(borders, 'passed')} of ${sumOf(borders, 'decided')} (${sumOf(borders, 'passedOfDeclined')})`
  const [decided, before] = [sumOf(edits, 'decided'), sumOf(edits, 'passedBefore')]
  return group === 'people'
    ? `${before} → ${sumOf(edits, 'passed')} of ${decided}`
    : `${sumOf(edits, 'passedOfDeclined')} of ${decided - before}`
}

/** An edit by which a larger share of the declined attacks passes has a row of its own. */
const helpfulFrom = 0.1

/** Borders are one row, and so are all edits that help few attacks. */
function editFamilies(values: Values<'edits'>): [family: string, names: ReadonlySet<string>][] {
  const helps = ({ decided, passedBefore, passedOfDeclined }: Edit) =>
    passedOfDeclined > helpfulFrom * (decided - passedBefore)
  const helpful = new Set(
    values
      .filter(({ group }) => group !== 'people')
      .flatMap(({ edits }) => edits.filter(helps).map(({ name }) => name)),
  )
  const isOther = ({ border, name }: Edit) => !border && !helpful.has(name)
  const all = [...values[0]!.edits].sort((a, b) => Number(isOther(a)) - Number(isOther(b)))
  const families = groupBy(all, (edit) =>
    edit.border ? 'borders' : isOther(edit) ? 'all others' : edit.name,
  )
  return [...families].map((family) => [nameFamily(family), new Set(family[1].map(({ name }) => name))])
}

export const editsTable = (figures: Figures): string => {
  const groups = listValues(figures, 'edits', 'standard')?.map(({ group }) => group) ?? []
  const head = [
    'borders: pass without → with them (only with them); others: declined attacks that pass',
    ...groups,
  ]
  return writeOwn(figures, 'edits', head, (values) =>
    editFamilies(values).map(([family, names]) => [
      family,
      ...values.map(({ group, edits }) =>
        formatEdits(
          group,
          edits.filter(({ name }) => names.has(name)),
        ),
      ),
    ]),
  )
}

const runtimeNames: Record<string, string> = {
  node: 'Node',
  bun: 'Bun',
  deno: 'Deno',
  workers: 'Workers (local)',
}

/** The only table of what a server needs on each runtime. */
export function runtimesTable(figures: Figures): string {
  const speed = listValues(figures, 'runtimes', 'standard')
  const memory = listValues(figures, 'memory', 'standard')
  if (!speed || !memory) return `Not measured yet: \`${formatCommand(speed ? 'memory' : 'runtimes')}\`.`
  const mb = ({ oneWorkerMb, moreMb }: Values<'memory'>[string]['photos']) =>
    `${oneWorkerMb}${moreMb === null ? '' : ` + ${moreMb}`}`
  const rows = Object.entries(speed.checks).map(([name, checks]) => {
    const peaks = memory[name]
    return [
      runtimeNames[name]!,
      `${(checks.startMs / 1000).toFixed(2)} s`,
      ...[checks.firstAnswerMs, checks.laterP50Ms, checks.laterP95Ms, checks.processorMs].map(ms),
      ...(peaks ? [mb(peaks.photos), mb(peaks.largePhotos), mb(peaks.clips)] : [none, none, none]),
    ]
  })
  const head = [
    ...['runtime', 'start', 'first answer', 'later, p50', 'p95', 'processor time'],
    ...['MB: 1280 pixels', '12 megapixels', 'clips'],
  ]
  const times = Object.entries(speed.replicas).map(([count, times]) => `${count} replicas do ${times}`)
  const delays = Object.entries(speed.delays)
  return [
    describeMeasurement(figures, ['runtimes', 'memory']),
    table(head, rows),
    `${list(times)} times as much as one. With a database ${list(delays.map(([delayMs]) => delayMs))} ms away, p50 of a request that stores a folder was ${list(delays.map(([, p50Ms]) => String(p50Ms)))} ms.`,
  ].join('\n\n')
}

export const padTable = (figures: Figures): string => writeTable(figures, padRows(figures), false)
export const readmeTable = (figures: Figures): string => writeTable(figures, readmeRows, false)
export const speedTable = (figures: Figures): string => writeTable(figures, speedRows, true)
export const matchingTable = (figures: Figures): string => writeTable(figures, matchingRows, false)
export const identificationTable = (figures: Figures): string =>
  writeTable(figures, identificationRows, false)
