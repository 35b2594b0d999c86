/**
 * Reads the reports that `npm run accuracy` and `npm run bench` write with `--json`, and picks the figures that the
 * documents show. Unknown members are ignored, so that reports may grow.
 */
import { readFile } from 'node:fs/promises'
import * as v from 'valibot'
import {
  describeIssue,
  type Entry,
  machineSchema,
  type Profile,
  type StepName,
  type Values,
} from './figures-file.ts'
import { sampleRate, toRate } from './rate.ts'

/** Steps whose results are in files; `answers` come from a server. */
export type FileStep = Exclude<StepName, 'answers'>

const count = v.pipe(v.number(), v.integer(), v.minValue(0))
const share = v.nullable(v.pipe(v.number(), v.minValue(0), v.maxValue(1)))

const facts = v.object({
  profile: v.optional(v.string()),
  date: v.string(),
  machine: machineSchema,
})

const interval = v.nullable(v.object({ low: v.number(), high: v.number() }))
const rateAt = v.object({ errors: count, trials: count, interval })

/** A rate without counts. */
const toCounts = (rate: number | null, of: number) =>
  rate === null ? null : toRate(Math.round(rate * of), of, null)

const pictures = v.pipe(
  v.object({
    pictures: count,
    people: count,
    undetected: v.array(v.string()),
    verification: v.object({ pairs: count, notCompared: count }),
    matching: v.object({
      threshold: v.number(),
      all: v.object({
        mated: count,
        eer: share,
        at: v.array(v.object({ threshold: v.number(), fmr: rateAt, fnmr: rateAt })),
        fnmrAt: v.array(v.object({ fmr: v.number(), fnmr: share, interval })),
      }),
    }),
    pad: v.object({
      attacks: count,
      apcer: share,
      bpcerBySource: v.record(v.string(), v.object({ bonaFide: count, bpcer: share })),
      rates: v.array(
        v.object({
          name: v.string(),
          kind: v.picklist(['attack', 'bona fide']),
          count,
          at: v.array(v.object({ threshold: v.number(), errors: count })),
        }),
      ),
    }),
  }),
  v.check(
    ({ matching: { threshold, all } }) => all.at.some((row) => row.threshold === threshold),
    'matching.all.at lacks the threshold',
  ),
  v.transform(({ verification, matching: { threshold, all }, pad, ...report }): Values<'pictures'> => {
    const { fmr, fnmr } = all.at.find((row) => row.threshold === threshold)!
    const missedAt = (falseMatchRate: number) => {
      const found = all.fnmrAt.find((row) => row.fmr === falseMatchRate)
      return found?.fnmr == null
        ? null
        : toRate(Math.round(found.fnmr * all.mated), all.mated, found.interval)
    }
    return {
      pictures: report.pictures,
      people: report.people,
      undetected: report.undetected.length,
      pairs: verification.pairs,
      notCompared: verification.notCompared,
      missed: toRate(fnmr.errors, fnmr.trials, fnmr.interval),
      falseMatches: toRate(fmr.errors, fmr.trials, fmr.interval),
      missedAtFmr1Percent: missedAt(0.01),
      missedAtFmr01Percent: missedAt(0.001),
      eer: all.eer,
      attacksPassed: sampleRate(Math.round((pad.apcer ?? 0) * pad.attacks), pad.attacks),
      attackRates: pad.rates.map(({ name, kind, count: of, at }) => ({
        name: `${kind === 'attack' ? 'APCER' : 'BPCER'}, ${name}`,
        of,
        errors: at.map(({ threshold, errors }) => ({ threshold, errors })),
      })),
      bonaFideDeclined: Object.fromEntries(
        Object.entries(pad.bpcerBySource).map(([source, { bonaFide, bpcer }]) => [
          source,
          sampleRate(Math.round((bpcer ?? 0) * bonaFide), bonaFide),
        ]),
      ),
    }
  }),
)

const identify = v.pipe(
  v.object({
    people: count,
    pictures: count,
    splits: count,
    enrolled: count,
    mated: count,
    nonMated: count,
    falsePositives: count,
    fnirRank1: share,
    fnir: share,
    fnirAtFpir1Percent: share,
  }),
  v.transform(({ mated, nonMated, falsePositives, fnirRank1, fnir, fnirAtFpir1Percent, ...rest }) => ({
    people: rest.people,
    pictures: rest.pictures,
    splits: rest.splits,
    enrolled: rest.enrolled,
    // All splits share people and pictures.
    falsePositives: toRate(falsePositives, nonMated, null),
    missedAtRank1: toCounts(fnirRank1 ?? 0, mated)!,
    missed: toCounts(fnir ?? 0, mated)!,
    missedAtFpir1Percent: toCounts(fnirAtFpir1Percent, mated),
  })),
)

const outcomes = v.object({ passed: count, declined: count, failed: count })

/** Whether a still is held: it does not move, so only its frames decide. */
const isHeld = (species: string): boolean => species.startsWith('held,')

const clips = v.pipe(
  v.object({
    pictures: count,
    report: v.object({ species: v.record(v.string(), outcomes), bonaFide: outcomes }),
  }),
  v.transform(({ pictures, report: { species, bonaFide } }): Values<'clips'> => {
    const sum = (areHeld: boolean, of: keyof typeof bonaFide) =>
      Object.entries(species)
        .filter(([name]) => isHeld(name) === areHeld)
        .reduce((total, [, row]) => total + row[of], 0)
    const passed = (areHeld: boolean) =>
      sampleRate(sum(areHeld, 'passed'), sum(areHeld, 'passed') + sum(areHeld, 'declined'))
    return {
      stills: pictures,
      movedPassed: passed(false),
      movedUndecided: sum(false, 'failed'),
      heldPassed: passed(true),
      heldUndecided: sum(true, 'failed'),
      peopleDeclined: sampleRate(bonaFide.declined, bonaFide.passed + bonaFide.declined),
      peopleUndecided: bonaFide.failed,
    }
  }),
)

const attackCounts = v.object({ decided: count, passed: count, failed: count, passedByFrames: count })

const attacks = v.pipe(
  v.object({
    pictures: count,
    report: v.array(
      v.object({
        animation: v.string(),
        zip: attackCounts,
        mp4: attackCounts,
        movement: v.array(v.tuple([v.string(), count])),
      }),
    ),
  }),
  v.transform(
    ({ pictures: stills, report }): Values<'attacks'> => ({
      stills,
      species: report.map(({ animation, zip, mp4, movement }) => ({
        name: animation,
        decided: zip.decided + mp4.decided,
        passed: zip.passed + mp4.passed,
        passedByFrames: zip.passedByFrames + mp4.passedByFrames,
        undecided: zip.failed + mp4.failed,
        movement: Object.fromEntries(movement),
      })),
    }),
  ),
)

const borderCounts = v.object({
  decided: count,
  passedWithout: count,
  passed: count,
  passedOfDeclined: count,
})

const edits = v.pipe(
  v.object({
    report: v.array(
      v.object({
        group: v.string(),
        edits: v.array(
          v.object({
            edit: v.string(),
            decided: count,
            passedBefore: count,
            passed: count,
            passedOfDeclined: count,
            border: v.nullable(borderCounts),
          }),
        ),
      }),
    ),
  }),
  v.transform(
    ({ report }): Values<'edits'> =>
      report.map(({ group, edits: changes }) => ({
        group,
        edits: changes.map(({ edit: name, ...counts }) => ({ name, ...counts })),
      })),
  ),
)

const roundToTenth = (value: number): number => Number(value.toFixed(1))

const photo = v.pipe(
  v.object({
    rounds: count,
    photos: v.pipe(v.array(v.object({ name: v.string(), medianMs: v.number() })), v.minLength(1)),
    throughput: v.object({
      requests: count,
      callers: count,
      workers: count,
      requestsPerMinute: v.number(),
      p95Ms: v.number(),
    }),
  }),
  // The first row is ours on the first photo, a portrait.
  v.transform(
    ({ rounds, photos, throughput }): Values<'photo'> => ({
      medianMs: roundToTenth(photos[0]!.medianMs),
      rounds,
      requestsPerMinute: roundToTenth(throughput.requestsPerMinute),
      p95Ms: roundToTenth(throughput.p95Ms),
      requests: throughput.requests,
      workers: throughput.workers,
      callers: throughput.callers,
    }),
  ),
)

const search = v.pipe(
  v.object({
    searches: count,
    runtimes: v.array(
      v.object({ runtime: v.string(), count, p50Ms: v.number(), p95Ms: v.number(), indexBytes: count }),
    ),
  }),
  v.transform(
    ({ searches, runtimes }): Values<'search'> => ({
      searches,
      sizes: Object.fromEntries(
        runtimes
          .filter(({ runtime }) => runtime === 'node')
          .map((row) => [
            String(row.count),
            {
              p50Ms: Number(row.p50Ms.toFixed(2)),
              p95Ms: Number(row.p95Ms.toFixed(2)),
              indexMb: roundToTenth(row.indexBytes / 1e6),
            },
          ]),
      ),
    }),
  ),
)

const video = v.pipe(
  v.object({
    decoder: v.literal('own', 'the clips were read by another decoder than the one that npm ci brings'),
    rounds: count,
    clips: v.array(
      v.object({
        name: v.string(),
        ours: v.object({ wholeMs: v.number() }),
        native: v.object({ decodeMs: v.number() }),
      }),
    ),
    service: v.object({
      throughput: v.object({
        clips: count,
        callers: count,
        workers: count,
        clipsPerMinute: v.number(),
        p95Ms: v.number(),
      }),
    }),
  }),
  v.check(({ clips }) => clips.some(({ name }) => name === 'h264 mp4'), 'there is no clip "h264 mp4"'),
  v.transform(({ rounds, clips, service: { throughput } }): Values<'video'> => {
    const { ours, native } = clips.find(({ name }) => name === 'h264 mp4')!
    return {
      wholeMs: Math.round(ours.wholeMs),
      nativeDecodeMs: Math.round(native.decodeMs),
      rounds,
      clipsPerMinute: roundToTenth(throughput.clipsPerMinute),
      p95Ms: Math.round(throughput.p95Ms),
      clips: throughput.clips,
      workers: throughput.workers,
      callers: throughput.callers,
    }
  }),
)

const measuredProcess = v.object({
  workers: count,
  firstAnswerMs: v.number(),
  laterAnswerMs: v.number(),
})

const start = v.pipe(
  v.object({
    runs: count,
    startMs: v.number(),
    firstStartMs: v.nullable(v.number()),
    processes: v.looseTuple([measuredProcess]),
  }),
  v.transform(
    ({ runs, startMs, firstStartMs, processes: [one] }): Values<'start'> => ({
      runs,
      startMs: Math.round(startMs),
      firstStartMs: firstStartMs === null ? null : Math.round(firstStartMs),
      firstAnswerMs: Math.round(one.firstAnswerMs),
      laterAnswerMs: Math.round(one.laterAnswerMs),
    }),
  ),
)

/** Values by the name of what they belong to. */
const named = <Row, Value>(
  rows: readonly Row[],
  name: (row: Row) => string | number,
  value: (row: Row) => Value,
) => Object.fromEntries(rows.map((row) => [String(name(row)), value(row)]))

const runtimes = v.pipe(
  v.object({
    runtimes: v.array(
      v.object({
        runtime: v.string(),
        startMs: v.number(),
        firstAnswerMs: v.number(),
        laterP50Ms: v.number(),
        laterP95Ms: v.number(),
        processorMs: v.number(),
      }),
    ),
    replicas: v.array(v.object({ replicas: count, perSecond: v.number() })),
    delays: v.array(v.object({ delayMs: count, p50Ms: v.number() })),
  }),
  v.transform(
    ({ runtimes, replicas: [one, ...more], delays }): Values<'runtimes'> => ({
      checks: named(
        runtimes,
        ({ runtime }) => runtime,
        (row) => ({
          startMs: Math.round(row.startMs),
          firstAnswerMs: Math.round(row.firstAnswerMs),
          laterP50Ms: Math.round(row.laterP50Ms),
          laterP95Ms: Math.round(row.laterP95Ms),
          processorMs: Math.round(row.processorMs),
        }),
      ),
      replicas: named(
        more,
        (row) => row.replicas,
        ({ perSecond }) => Number((perSecond / one!.perSecond).toFixed(2)),
      ),
      delays: named(
        delays,
        ({ delayMs }) => delayMs,
        ({ p50Ms }) => Math.round(p50Ms),
      ),
    }),
  ),
)

const peak = v.pipe(
  v.object({ oneWorkerMb: v.number(), moreMb: v.nullable(v.number()) }),
  v.transform(({ oneWorkerMb, moreMb }) => ({
    oneWorkerMb: Math.round(oneWorkerMb),
    moreMb: moreMb === null ? null : Math.max(0, Math.round(moreMb)),
  })),
)

const memory = v.pipe(
  v.object({
    runtimes: v.array(v.object({ runtime: v.string(), photos: peak, largePhotos: peak, clips: peak })),
  }),
  v.transform(
    ({ runtimes }): Values<'memory'> =>
      named(
        runtimes,
        ({ runtime }) => runtime,
        ({ runtime: _, ...peaks }) => peaks,
      ),
  ),
)

const readers: { [Step in FileStep]: v.GenericSchema<unknown, Values<Step>> } = {
  pictures,
  identify,
  clips,
  attacks,
  edits,
  photo,
  search,
  video,
  start,
  runtimes,
  memory,
}

/**
 * @param name name of the file in errors
 * @param command the command that makes such a file; shown in the figures and in errors
 * @throws {Error} if the text is not a report of this command and profile
 */
export function parseResults<Step extends FileStep>(
  text: string,
  { step, profile, command, name }: { step: Step; profile: Profile; command: string; name: string },
): Entry<Step> {
  const remedy = `write it with: MODEL_PROFILE=${profile} ${command} --json ${name}`
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (cause) {
    throw new Error(`${name} is not JSON; ${remedy}`, { cause })
  }
  const known = v.safeParse(facts, json)
  const values = v.safeParse(readers[step] as v.GenericSchema<unknown, Values<Step>>, json)
  const [issue] = [...(values.issues ?? []), ...(known.issues ?? [])]
  if (!known.success || !values.success)
    throw new Error(`${name} has a wrong shape (${describeIssue(issue!)}); ${remedy}`)
  const { date, machine, profile: measured = profile } = known.output
  if (measured !== profile) throw new Error(`${name} was measured with profile ${measured}; ${remedy}`)
  return { profile, date: date.slice(0, 10), command, machine, values: values.output }
}

/** @throws {Error} as `parseResults`, and if the file does not exist */
export async function readResults<Step extends FileStep>(
  file: string,
  wanted: { step: Step; profile: Profile; command: string; name: string },
): Promise<Entry<Step>> {
  const text = await readFile(file, 'utf8').catch(() => null)
  if (text === null)
    throw new Error(
      `${wanted.name} is missing; write it with: MODEL_PROFILE=${wanted.profile} ${wanted.command} --json ${wanted.name}`,
    )
  return parseResults(text, wanted)
}
