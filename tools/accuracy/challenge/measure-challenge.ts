/** Answers of the active challenge, on simulated people and attacks, or on recordings of real ones. */
import { writeFile } from 'node:fs/promises'
import type { Assessor } from '../../../src/assess/assessor.ts'
import { openMedium } from '../../../src/media/opened-medium.ts'
import { openServerPlatform } from '../../../src/platform/servers.ts'
import { measureApproach } from '../../../src/vision/challenge/measure-approach.ts'
import { measureLight } from '../../../src/vision/challenge/measure-light.ts'
import { generator } from '../../../test/fixtures/gallery.ts'
import { InputError } from '../input-error.ts'
import { measuredSettings } from '../measured-settings.ts'
import { drawColours, type LitClip, lightAttacks } from './attacks.ts'
import { approachS, coloursFromS, isLargeEnough, renderClip } from './challenge-clips.ts'
import { type ChallengeRow, challengeReport, challengeText } from './challenge-report.ts'
import { drawSurroundings, simulateLight } from './lit-curves.ts'
import { drawCamera, nearings, simulateApproach } from './nearing-meshes.ts'
import { makeScene, openMeshFinder, readPeople, type SimulatedPerson } from './people.ts'
import type { Random } from './random.ts'
import { readRecordings } from './recordings.ts'

/** Lux at which people answer, and those at which attackers do. */
const peopleLux = [20, 100, 250, 500, 1000, 5000, 20_000]
const attackLux = [50, 300]

function lightRow(
  { name, group }: SimulatedPerson,
  kind: string,
  lux: number,
  { scene, shown, lighting, around }: LitClip,
  asked: LitClip['shown'],
  random: Random,
): ChallengeRow {
  const record = simulateLight(scene, shown, around, random, lighting)
  const found = measureLight(record, { colours: asked }, 0, false)
  return { step: 'colours', person: name, group, kind, lux, found }
}

function measureLightOf(person: SimulatedPerson, random: Random): ChallengeRow[] {
  const rows: ChallengeRow[] = []
  const drawClip = (lux: number): LitClip => ({
    scene: makeScene(person, random),
    shown: drawColours(random),
    lighting: { kind: 'screen' },
    around: drawSurroundings(random, lux),
  })
  for (const lux of peopleLux) {
    const clip = drawClip(lux)
    rows.push(lightRow(person, 'person', lux, clip, clip.shown, random))
  }
  for (const [kind, attack] of Object.entries(lightAttacks))
    for (const lux of attackLux) {
      const clip = drawClip(lux)
      rows.push(lightRow(person, kind, lux, attack(clip, random), clip.shown, random))
    }
  return rows
}

function measureApproachOf({ name, group, head }: SimulatedPerson, random: Random): ChallengeRow[] {
  return nearings.map((kind) => {
    const camera = drawCamera(random)
    const record = simulateApproach(head, kind, camera, random)
    const found = measureApproach(record, camera, { fromS: 0, toS: camera.durationS })
    return { step: 'approach', person: name, group, kind, lux: null, found }
  })
}

/** Clips of one person: who comes nearer, and what lights it. */
const clipKinds: Readonly<
  Record<string, (clip: LitClip, random: Random) => { isSolid: boolean; clip: LitClip }>
> = {
  person: (clip) => ({ isSolid: true, clip }),
  'a still, zoomed, without light': (clip, random) => ({
    isSolid: false,
    clip: lightAttacks['no light']!(clip, random),
  }),
  'a still, zoomed, with a tint': (clip, random) => ({
    isSolid: false,
    clip: lightAttacks['tint of the picture, multiplied']!(clip, random),
  }),
  'a print in the light': (clip) => ({ isSolid: false, clip }),
  'a person, another sequence': (clip, random) => ({
    isSolid: true,
    clip: lightAttacks['another sequence']!(clip, random),
  }),
}
const clipLux = [50, 300]

/** The answers of the whole assessment to coded clips of one person. */
async function measureClipsOf(
  person: SimulatedPerson,
  assessor: Assessor,
  random: Random,
): Promise<ChallengeRow[]> {
  const rows: ChallengeRow[] = []
  for (const [kind, make] of Object.entries(clipKinds)) {
    for (const lux of clipLux) {
      const asked = drawColours(random)
      const around = drawSurroundings(random, lux)
      const drawn: LitClip = {
        scene: makeScene(person, random),
        shown: asked,
        lighting: { kind: 'screen' },
        around,
      }
      const { isSolid, clip } = make(drawn, random)
      const step = { from: 0.3, to: 0.58 }
      const bytes = await renderClip(person, { isSolid, ...step }, clip, random)
      const { clip: found } = await assessor.assess(openMedium(bytes), wanted)
      const of = { person: person.name, group: person.group, kind: `${kind} (H.264)`, lux }
      rows.push(
        {
          ...{ ...of, step: 'colours' },
          // A clip in which nothing is found is one that does not tell.
          found: measureLight(found?.light ?? [], { colours: asked }, coloursFromS, false),
        },
        {
          ...{ ...of, step: 'approach' },
          found: measureApproach(found?.approach ?? { depths: [], frames: [] }, step, approachS),
        },
      )
    }
  }
  return rows
}

const wanted = { faces: true, template: false, pad: true, bestShot: false, challenge: true }

interface ChallengeOptions {
  people: number
  /** Number of people of whom clips are rendered, coded and assessed. */
  clips: number
  json: string | undefined
}

/** Rates of recordings of real people and attacks. */
async function measureRecordings(file: string, json: string | undefined): Promise<void> {
  const rows = await readRecordings(file)
  if (rows.length === 0) throw new InputError(`${file} has no recording`)
  const people = new Set(rows.map(({ person }) => person)).size
  const report = challengeReport(rows)
  process.stdout.write(`${people} people, recorded\n\n${challengeText(report)}\n`)
  if (json) await writeFile(json, `${JSON.stringify({ people, report, rows }, null, 2)}\n`)
}

/**
 * Measures and prints.
 * @param folder a file of recordings, or pictures of people; `PROVENANCE.csv` with the columns file and group names their groups
 */
export async function measureChallenge(
  folder: string,
  { people, clips, json }: ChallengeOptions,
): Promise<void> {
  if (folder.endsWith('.json')) return measureRecordings(folder, json)
  const settings = measuredSettings({ SVC_VIDEO_DURATION_MAX: '20', ASSESS_TIMEOUT: '300' })
  const findMesh = await openMeshFinder(settings)
  const random = generator(1)
  const rows: ChallengeRow[] = []
  const filmed: SimulatedPerson[] = []
  let count = 0
  for await (const person of readPeople(folder, people, findMesh)) {
    rows.push(...measureLightOf(person, random), ...measureApproachOf(person, random))
    if (filmed.length < clips && isLargeEnough(person)) filmed.push(person)
    process.stderr.write(`\r${++count} people `)
  }
  if (count === 0) throw new InputError('the folder has no picture of one person from the front')
  if (clips > 0) {
    const { assessor } = await openServerPlatform('node', settings)
    for (const person of filmed) {
      rows.push(...(await measureClipsOf(person, assessor, random)))
      process.stderr.write(`\r${rows.length} answers `)
    }
    await assessor.close()
  }
  process.stderr.write('\n')
  const report = challengeReport(rows)
  process.stdout.write(`${count} people, simulated; ${filmed.length} as clips\n\n${challengeText(report)}\n`)
  if (json) await writeFile(json, `${JSON.stringify({ people: count, report, rows }, null, 2)}\n`)
}
