/** Error rates of the running profile on clips: moved stills as attacks, clips of people as bona fide samples. */

import { writeFile } from 'node:fs/promises'
import { decideLiveness } from '../../src/analyses/liveness/decide.ts'
import type { Assessment } from '../../src/assess/assessment.ts'
import { classifyMovement } from '../../src/decide/clip-attack.ts'
import { openMedium } from '../../src/media/opened-medium.ts'
import { openServerPlatform } from '../../src/platform/servers.ts'
import { hasFfmpeg } from '../../test/fixtures/clips.ts'
import {
  type ClipRow,
  clipReport,
  clipText,
  type GestureRow,
  gestureReport,
  gestureText,
} from './clip-report.ts'
import { measuredSettings } from './measured-settings.ts'
import { motionNames, moveStill, type Still, stills } from './moved-stills.ts'
import { type PeopleClip, peopleClips } from './people-clips.ts'

interface ClipOptions {
  /** Number of the folder's pictures that are moved. */
  stills: number
  /** Number of motions per picture; all motions are used in turn. */
  motions: number
  json: string | undefined
}

interface Sample {
  name: string
  species: string | null
  bytes: () => Promise<Uint8Array>
  /** Gestures that the clip is known to show; `null` if the motion of the picture resembles a gesture. */
  gestures: Pick<GestureRow, 'shown' | 'unclear'> | null
}

const wanted = { faces: true, template: false, pad: true, bestShot: false }

/** A zoomed picture comes nearer; a tilted one resembles a turning head. */
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
      bytes: () => moveStill(square, motion),
      gestures: likeGestures.has(motion) ? null : { shown: new Set(), unclear: new Set() },
    }
  })

/** Outcome of a clip, or why it was refused. */
export function rowOf(
  { name, species }: Pick<ClipRow, 'name' | 'species'>,
  assessed: Assessment | Error,
  thresholdSpoofing: number,
): ClipRow {
  if (assessed instanceof Error) {
    const nothing = {
      pad: null,
      attack: null,
      own: null,
      view: null,
      tilt: null,
      recurrence: null,
      tells: null,
    }
    const refused = { outcome: 'failed', reason: assessed.message } as const
    return { name, species, ...refused, ...nothing, identityDistance: null, repeatedShare: null }
  }
  const { outcome, media } = decideLiveness([{ id: name, tags: [], assessment: assessed }], {
    thresholdSpoofing,
    extractBestShot: false,
    extractActionShot: false,
    gestureRequired: false,
    movementRequired: false,
    challengeRequired: false,
    gate: 'record',
  })
  const { subject, clip } = assessed
  const measured = clip?.movement.status === 'measured' ? clip.movement : null
  return {
    name,
    species,
    outcome: outcome.status === 'failed' ? 'failed' : outcome.decision === 'SUCCESS' ? 'passed' : 'declined',
    reason: outcome.status === 'failed' ? String(outcome.failure.code) : null,
    pad: outcome.status !== 'failed' && subject?.pad.status === 'assessed' ? subject.pad.attack : null,
    attack: media[0]?.attack ?? null,
    own: measured?.own ?? null,
    view: measured?.view ?? null,
    tilt: measured?.tilt ?? null,
    recurrence: measured?.recurrence ?? null,
    tells: clip ? classifyMovement(clip.movement) : null,
    identityDistance: clip?.identity?.distance ?? null,
    repeatedShare: clip?.repeatedShare ?? null,
  }
}

/**
 * Measures and prints.
 * @param folder may hold `video/` with clips of people, and `faces/` or pictures
 */
export async function measureClips(folder: string, options: ClipOptions): Promise<void> {
  if (!hasFfmpeg) throw new Error('clips are made by ffmpeg, which is not installed')
  const settings = measuredSettings({ SVC_VIDEO_DURATION_MAX: '20' })
  const platform = await openServerPlatform('node', settings)
  const { assessor } = platform
  const samples: Sample[] = []
  for await (const clip of peopleClips(folder)) samples.push(peopleSample(clip))
  const onlyFaces = { faces: true, template: false, pad: false, bestShot: false }
  let pictures = 0
  for await (const still of stills(folder, options.stills, (bytes) =>
    assessor.assess(openMedium(bytes), onlyFaces),
  ))
    samples.push(...movedSamples(still, pictures++, options.motions))

  const rows: ClipRow[] = []
  const people: GestureRow[] = []
  const pictured: GestureRow[] = []
  const rest = [...samples]
  const work = async (): Promise<void> => {
    for (let sample = rest.shift(); sample; sample = rest.shift()) {
      const bytes = await sample.bytes()
      const assessed = await assessor.assess(openMedium(bytes), wanted).catch((error: Error) => error)
      rows.push(rowOf(sample, assessed, settings.spoofingThreshold))
      if (sample.gestures && !(assessed instanceof Error)) {
        const findings = assessed.clip?.gestures ?? null
        const table = sample.species === null ? people : pictured
        table.push({ ...sample.gestures, findings })
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
