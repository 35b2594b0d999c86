/** The schema of `docs/figures.json`: values with their date, machine and command. */
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import * as v from 'valibot'

export const profiles = ['standard', 'embedded'] as const
export type Profile = (typeof profiles)[number]

const count = v.pipe(v.number(), v.integer(), v.minValue(0))
const share = v.pipe(v.number(), v.minValue(0), v.maxValue(1))
const rate = v.object({ errors: count, of: count, low: v.nullable(share), high: v.nullable(share) })

export const machineSchema = v.object({
  cpu: v.string(),
  cores: count,
  memoryGb: v.number(),
  runtime: v.string(),
})

const peak = v.object({ oneWorkerMb: count, moreMb: v.nullable(count) })

/** The values of each step; `read-results.ts` reads them. */
const values = {
  answers: v.record(v.string(), v.unknown()),
  pictures: v.object({
    pictures: count,
    people: count,
    undetected: count,
    pairs: count,
    notCompared: count,
    missed: rate,
    falseMatches: rate,
    missedAtFmr1Percent: v.nullable(rate),
    missedAtFmr01Percent: v.nullable(rate),
    eer: v.nullable(share),
    attacksPassed: rate,
    /** Errors of attack detection at several thresholds, by kind and source. */
    attackRates: v.array(
      v.object({
        name: v.string(),
        of: count,
        errors: v.array(v.object({ threshold: v.number(), errors: count })),
      }),
    ),
    /** By source, as named in the tables of the data folder. */
    bonaFideDeclined: v.record(v.string(), rate),
  }),
  identify: v.object({
    people: count,
    pictures: count,
    splits: count,
    enrolled: count,
    falsePositives: rate,
    missedAtRank1: rate,
    missed: rate,
    missedAtFpir1Percent: v.nullable(rate),
  }),
  clips: v.object({
    stills: count,
    /** Stills that are panned, zoomed, turned or tilted, and those that are held. */
    movedPassed: rate,
    movedUndecided: count,
    heldPassed: rate,
    heldUndecided: count,
    peopleDeclined: rate,
    peopleUndecided: count,
  }),
  /** Clips that software made of stills, by what was done to them. */
  attacks: v.object({
    stills: count,
    species: v.array(
      v.object({
        name: v.string(),
        decided: count,
        passed: count,
        passedByFrames: count,
        undecided: count,
        /** Number of decided clips by what movement answers. */
        movement: v.record(v.string(), count),
      }),
    ),
  }),
  /** Photos of people and of attacks, before and after changes of the picture. */
  edits: v.array(
    v.object({
      group: v.string(),
      edits: v.array(
        v.object({
          name: v.string(),
          decided: count,
          passedBefore: count,
          passed: count,
          passedOfDeclined: count,
          /** The same pictures with and without a border; `null` for other edits. */
          border: v.nullable(
            v.object({ decided: count, passedWithout: count, passed: count, passedOfDeclined: count }),
          ),
        }),
      ),
    }),
  ),
  photo: v.object({
    medianMs: v.number(),
    rounds: count,
    requestsPerMinute: v.number(),
    p95Ms: v.number(),
    requests: count,
    workers: count,
    callers: count,
  }),
  search: v.object({
    searches: count,
    /** By number of templates. */
    sizes: v.record(v.string(), v.object({ p50Ms: v.number(), p95Ms: v.number(), indexMb: v.number() })),
  }),
  video: v.object({
    wholeMs: v.number(),
    /** For how long the command line of FFmpeg decodes the same clip on the same machine. */
    nativeDecodeMs: v.number(),
    rounds: count,
    clipsPerMinute: v.number(),
    p95Ms: v.number(),
    clips: count,
    workers: count,
    callers: count,
  }),
  start: v.object({
    runs: count,
    startMs: v.number(),
    firstStartMs: v.nullable(v.number()),
    firstAnswerMs: v.number(),
    laterAnswerMs: v.number(),
  }),
  runtimes: v.object({
    checks: v.record(
      v.string(),
      v.object({
        startMs: count,
        firstAnswerMs: count,
        laterP50Ms: count,
        laterP95Ms: count,
        /** Of one check. */
        processorMs: count,
      }),
    ),
    /** By number of replicas: how many times as much as one they do. */
    replicas: v.record(v.string(), v.number()),
    /** By milliseconds to the database and back: p50 of a request that stores a folder. */
    delays: v.record(v.string(), count),
  }),
  /** The highest of a server with one worker, and how much another one adds, if there can be one. */
  memory: v.record(v.string(), v.object({ photos: peak, largePhotos: peak, clips: peak })),
}

export type StepName = keyof typeof values
export type Values<Step extends StepName> = v.InferOutput<(typeof values)[Step]>

export const stepNames = Object.keys(values) as StepName[]

/** The values of one step in one profile, and how they were measured. */
export interface Entry<Step extends StepName> {
  profile: Profile
  /** UTC, `2026-01-31`. */
  date: string
  command: string
  machine: v.InferOutput<typeof machineSchema>
  values: Values<Step>
}

export type Figures = { [Step in StepName]?: { [Name in Profile]?: Entry<Step> } }

const entry = <Schema extends v.GenericSchema>(schema: Schema) =>
  v.object({
    profile: v.picklist(profiles),
    date: v.pipe(v.string(), v.isoDate()),
    command: v.string(),
    machine: machineSchema,
    values: schema,
  })

const step = <Schema extends v.GenericSchema>(schema: Schema) =>
  v.optional(v.strictObject({ standard: v.optional(entry(schema)), embedded: v.optional(entry(schema)) }))

const figuresSchema = v.strictObject({
  answers: step(values.answers),
  pictures: step(values.pictures),
  identify: step(values.identify),
  clips: step(values.clips),
  attacks: step(values.attacks),
  edits: step(values.edits),
  photo: step(values.photo),
  search: step(values.search),
  video: step(values.video),
  start: step(values.start),
  runtimes: step(values.runtimes),
  memory: step(values.memory),
})

/** Describes where an invalid value is, and why it is invalid. */
export const describeIssue = (issue: v.BaseIssue<unknown>): string =>
  `${v.getDotPath(issue) ?? 'the whole'}: ${issue.message}`

const resolveFile = (root: string) => path.join(root, 'docs', 'figures.json')
const remedy = 'write it with: npm run figures -- --measure DIR'

/**
 * @param without steps that are about to be measured again: their values in the file may have an older schema
 * @throws {Error} that names the command which makes the file, if it is missing or does not match the schema
 */
export async function readFigures(root: string, without: readonly StepName[] = []): Promise<Figures> {
  const text = await readFile(resolveFile(root), 'utf8').catch(() => null)
  if (text === null) throw new Error(`docs/figures.json is missing; ${remedy}`)
  return parseFigures(text, without)
}

/** @throws {Error} as `readFigures` does */
export function parseFigures(text: string, without: readonly StepName[] = []): Figures {
  let json: Record<string, unknown>
  try {
    json = JSON.parse(text)
  } catch (cause) {
    throw new Error(`docs/figures.json is not JSON; ${remedy}`, { cause })
  }
  for (const step of without) delete json[step]
  const parsed = v.safeParse(figuresSchema, json)
  if (!parsed.success)
    throw new Error(`docs/figures.json has a wrong shape (${describeIssue(parsed.issues[0])}); ${remedy}`)
  return parsed.output as Figures
}

/** Writes steps and profiles in a fixed order, so that a repeated measurement changes only values. */
export async function writeFigures(root: string, figures: Figures): Promise<void> {
  const ordered = Object.fromEntries(
    stepNames.flatMap((name) => {
      const entries = profiles.flatMap((profile) => {
        const one = figures[name]?.[profile]
        return one ? [[profile, one]] : []
      })
      return entries.length > 0 ? [[name, Object.fromEntries(entries)]] : []
    }),
  )
  await writeFile(resolveFile(root), `${JSON.stringify(ordered, null, 2)}\n`)
}
