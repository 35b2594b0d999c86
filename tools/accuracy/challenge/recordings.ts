/** Recordings of real people and attacks, as `/capture#measure` saves them: curves and points, no pictures. */
import { readFile } from 'node:fs/promises'
import * as v from 'valibot'
import type { ApproachRecord } from '../../../src/vision/challenge/approach-record.ts'
import { approachPoints } from '../../../src/vision/challenge/approach-record.ts'
import { type LightRecord, lightZones } from '../../../src/vision/challenge/light-record.ts'
import { measureApproach } from '../../../src/vision/challenge/measure-approach.ts'
import { measureLight } from '../../../src/vision/challenge/measure-light.ts'
import { InputError } from '../input-error.ts'
import type { ChallengeRow } from './challenge-report.ts'

const numbers = v.array(v.number())
/** Time, part of the clip and width of the face come before the values. */
const framesOf = (values: number) => v.array(v.pipe(numbers, v.length(3 + values)))
const shown = v.tuple([v.number(), v.number()])
const stepFields = { shown, soft: v.boolean(), skipped: v.boolean() }

const step = v.variant('type', [
  v.object({ type: v.literal('approach'), from: v.number(), to: v.number(), ...stepFields }),
  v.object({
    type: v.literal('colours'),
    colours: v.array(v.object({ colour: v.string(), ms: v.number() })),
    ...stepFields,
  }),
])

const recordings = v.object({
  vivace_challenge_recordings: v.literal(1),
  recordings: v.array(
    v.object({
      person: v.string(),
      group: v.string(),
      /** `person`, or the attack. */
      kind: v.string(),
      lux: v.nullable(v.number()),
      challenge: v.object({
        steps: v.array(step),
        light: framesOf(3 * lightZones.length),
        approach: v.nullable(
          v.object({
            depths: v.pipe(numbers, v.length(approachPoints.length)),
            frames: framesOf(2 * approachPoints.length),
          }),
        ),
      }),
    }),
  ),
})

type Recording = v.InferOutput<typeof recordings>['recordings'][number]

const readFrame = ([timeS = 0, segment = 0, share = 0, ...values]: number[]) => ({
  head: { timeS, segment, share },
  values,
})

function readLight({ challenge }: Recording): LightRecord {
  return challenge.light.map((frame) => {
    const { head, values } = readFrame(frame)
    return { ...head, colours: values }
  })
}

function readApproach({ challenge: { approach } }: Recording): ApproachRecord {
  const frames = (approach?.frames ?? []).map((frame) => {
    const { head, values } = readFrame(frame)
    return { ...head, places: values }
  })
  return { depths: approach?.depths ?? [], frames }
}

/** What this release measures in a recording, step by step. A step without light says nothing of light. */
function measureRecording(recording: Recording): ChallengeRow[] {
  const { person, group, kind, lux, challenge } = recording
  return challenge.steps
    .filter(({ skipped }) => !skipped)
    .map((asked): ChallengeRow => {
      const [fromS, toS] = asked.shown
      const found =
        asked.type === 'colours'
          ? measureLight(readLight(recording), asked, fromS, asked.soft)
          : measureApproach(readApproach(recording), asked, { fromS, toS })
      return { step: asked.type, person, group, kind, lux, found }
    })
}

/** @throws {InputError} if the file is not one of `/capture#measure` */
export async function readRecordings(file: string): Promise<ChallengeRow[]> {
  const read = async () => v.safeParse(recordings, JSON.parse(await readFile(file, 'utf8')))
  const result = await read().catch(() => null)
  if (!result?.success) throw new InputError(`${file} has no recordings that /capture#measure has saved`)
  return result.output.recordings.flatMap(measureRecording)
}
