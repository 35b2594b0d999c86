/** Error rates of the running profile on clips: moved stills as attacks, clips of people as bona fide samples. */
import { writeFile } from 'node:fs/promises'
import type { Assessment } from '../../src/assess/assessment.ts'
import { decideQuality } from '../../src/decide/quality.ts'
import { openServerPlatform } from '../../src/platform/servers.ts'
import { readSettings } from '../../src/settings.ts'
import { hasFfmpeg } from '../fixtures/clips.ts'
import {
  type ClipRow,
  clipReport,
  clipText,
  type GestureRow,
  gestureReport,
  gestureText,
} from './clip-report.ts'
import { motionNames, movedStill, type Still, stills } from './moved-stills.ts'
import { type PeopleClip, peopleClips } from './people-clips.ts'

export interface ClipOptions {
  /** Pictures of the folder that are moved. */
  stills: number
  /** Ways in which each of them is moved; they take turns. */
  motions: number
  json: string | undefined
}

interface Sample {
  name: string
  species: string | null
  bytes: () => Promise<Uint8Array>
  /** What the clip is known to show; `null` where the movement of the picture looks like a gesture. */
  gestures: Pick<GestureRow, 'shown' | 'unclear'> | null
}

const wanted = { faces: true, template: false, pad: true, bestShot: false }

/** A picture that is zoomed comes nearer; one that is tilted looks like a head that turns. */
const likeGestures = new Set(['zoomed', 'tilted'])

const peopleSample = (clip: PeopleClip): Sample => ({
  name: clip.name,
  species: null,
  bytes: async () => clip.bytes,
  gestures: clip,
})

const movedSamples = ({ name, source, square }: Still, index: number, motions: number): Sample[] =>
  Array.from({ length: Math.min(motions, motionNames.length) }, (_, i) => {
    const motion = motionNames[(index * motions + i) % motionNames.length]!
    return {
      name: `${name}, ${motion}`,
      species: `${motion}, ${source}`,
      bytes: () => movedStill(square, motion),
      gestures: likeGestures.has(motion) ? null : { shown: new Set(), unclear: new Set() },
    }
  })

function rowOf({ name, species }: Sample, assessment: Assessment, thresholdSpoofing: number): ClipRow {
  const { outcome, media } = decideQuality([{ id: name, tags: [], assessment }], {
    thresholdSpoofing,
    extractBestShot: false,
    extractActionShot: false,
    gestureRequired: false,
    gate: 'record',
  })
  const { subject, clip } = assessment
  return {
    ...{ name, species },
    outcome: outcome.status === 'failed' ? 'failed' : outcome.decision === 'SUCCESS' ? 'passed' : 'declined',
    reason: outcome.status === 'failed' ? String(outcome.failure.code) : null,
    pad: outcome.status !== 'failed' && subject?.pad.status === 'assessed' ? subject.pad.attack : null,
    attack: media[0]?.attack ?? null,
    change: clip?.change ?? null,
    identityDistance: clip?.identity?.distance ?? null,
    repeatedShare: clip?.repeatedShare ?? null,
  }
}

const refusedRow = ({ name, species }: Sample, error: unknown): ClipRow => ({
  ...{ name, species },
  outcome: 'failed',
  reason: error instanceof Error ? error.message : String(error),
  ...{ pad: null, attack: null, change: null, identityDistance: null, repeatedShare: null },
})

/**
 * Measures and prints.
 * @param folder may hold `video/` with clips of people, and `faces/` or pictures
 */
export async function measureClips(folder: string, options: ClipOptions): Promise<void> {
  if (!hasFfmpeg) throw new Error('clips are made by ffmpeg, which is not installed')
  const settings = readSettings({ LOG_LEVEL: 'warn', SVC_VIDEO_DURATION_MAX: '20', ...process.env })
  const platform = await openServerPlatform('node', settings)
  const { assessor } = platform
  const samples: Sample[] = []
  for await (const clip of peopleClips(folder)) samples.push(peopleSample(clip))
  const onlyFaces = { faces: true, template: false, pad: false, bestShot: false }
  let pictures = 0
  for await (const still of stills(folder, options.stills, (bytes) => assessor.assess(bytes, onlyFaces)))
    samples.push(...movedSamples(still, pictures++, options.motions))

  const rows: ClipRow[] = []
  const people: GestureRow[] = []
  const pictured: GestureRow[] = []
  const rest = [...samples]
  const work = async (): Promise<void> => {
    for (let sample = rest.shift(); sample; sample = rest.shift()) {
      try {
        const assessment = await assessor.assess(await sample.bytes(), wanted)
        rows.push(rowOf(sample, assessment, settings.spoofingThreshold))
        const findings = assessment.clip?.gestures ?? null
        const table = sample.species === null ? people : pictured
        if (sample.gestures) table.push({ ...sample.gestures, findings })
      } catch (error) {
        rows.push(refusedRow(sample, error))
      }
      process.stderr.write(`\r${rows.length} of ${samples.length} clips `)
    }
  }
  await Promise.all(Array.from({ length: assessor.health().workers }, work))
  process.stderr.write('\n')
  const profile = platform.models.profileName
  const report = clipReport(rows, settings.spoofingThreshold)
  const gestures = { people: gestureReport(people), stills: gestureReport(pictured) }
  const texts = [
    `profile ${profile}, ${pictures} pictures`,
    clipText(report),
    `Gestures of ${people.length} clips of people\n${gestureText(gestures.people)}`,
    `Gestures of ${pictured.length} stills that were held, panned and turned\n${gestureText(gestures.stills)}`,
  ]
  process.stdout.write(`${texts.join('\n\n')}\n`)
  const json = JSON.stringify({ profile, pictures, report, gestures, rows }, null, 2)
  if (options.json) await writeFile(options.json, `${json}\n`)
  await assessor.close()
}
