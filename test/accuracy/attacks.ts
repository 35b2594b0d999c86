/** Measures how many animated stills pass as people, and how many clips of another person pass as a victim. */
import { writeFile } from 'node:fs/promises'
import { decideVerification } from '../../src/analyses/verification/decide.ts'
import type { Assessment, AssessmentRequest } from '../../src/assess/assessment.ts'
import type { RgbaImage } from '../../src/media/rgba-image.ts'
import { openServerPlatform } from '../../src/platform/servers.ts'
import { readSettings } from '../../src/settings.ts'
import { hasFfmpeg } from '../fixtures/clips.ts'
import {
  animateStill,
  type ClipFormat,
  clipFormats,
  clipsOf,
  openPortrait,
} from './animation/animated-stills.ts'
import { animations, canAnimate } from './animation/animations.ts'
import { type AttackRow, attackReport, attackText } from './attack-report.ts'
import { rowOf } from './clips.ts'
import { exchangedPeople } from './exchanged-people.ts'
import { type Still, stills } from './moved-stills.ts'

export interface AttackOptions {
  /** Number of the folder's pictures that are animated, besides those of the packages, and of its people that are exchanged. */
  stills: number
  /** Only attacks whose names contain this text; default: all. */
  only: string | undefined
  /** No portrait is begun after so many minutes. */
  minutesMax: number
  json: string | undefined
}

const onlyFaces = { faces: true, template: false, pad: false, bestShot: false }
const onlyTemplate = { ...onlyFaces, template: true }
const wanted = { faces: true, template: false, pad: true, bestShot: false }

/**
 * Measures and prints.
 * @param folder may hold `faces/` or pictures, and `pairs.csv` and `video/` for clips that exchange people
 */
export async function measureAttacks(folder: string, options: AttackOptions): Promise<void> {
  if (!hasFfmpeg) throw new Error('clips are made by ffmpeg, which is not installed')
  const settings = readSettings({ LOG_LEVEL: 'warn', ...process.env })
  const platform = await openServerPlatform('node', settings)
  const { assessor, models } = platform
  const rows: AttackRow[] = []
  const endMs = performance.now() + options.minutesMax * 60_000
  const isOver = () => performance.now() > endMs
  const isWanted = (name: string) => name.includes(options.only ?? '')
  const names = Object.keys(animations).filter(isWanted)
  const band = { min: settings.matchThresholdMin, max: settings.matchThresholdMax }
  const assess = (bytes: Uint8Array, wanted: AssessmentRequest): Promise<Assessment | Error> =>
    assessor.assess(bytes, wanted).catch((error: Error) => error)
  /** Whether a clip is accepted as a person who is not in it. */
  const matches = (assessment: Assessment | Error, victim: Assessment): boolean => {
    if (assessment instanceof Error) return false
    const media = [assessment, victim].map((one, i) => ({
      id: `${i}`,
      tags: [],
      md5: one.source.md5,
      assessment: one,
    }))
    const { outcome } = decideVerification(models.cohort, media, { band, gate: 'record' })
    return outcome.status === 'finished' && outcome.decision === 'SUCCESS'
  }
  const look = async (
    name: string,
    animation: string,
    pictures: Iterable<RgbaImage>,
    victim: Assessment | null,
  ) => {
    const clips = await clipsOf(pictures)
    const lookAt = async (format: ClipFormat) => {
      const assessment = await assess(await clips[format](), { ...wanted, template: victim !== null })
      const row = rowOf({ name, species: animation }, assessment, settings.spoofingThreshold)
      const fails = row.outcome === 'passed' && victim !== null && !matches(assessment, victim)
      rows.push({ ...row, ...(fails && { outcome: 'declined' }), animation, format })
      process.stderr.write(`\r${portraits} portraits, ${rows.length} clips `)
    }
    await Promise.all(clipFormats.map(lookAt))
  }
  let portraits = 0
  const assessPicture = (bytes: Uint8Array) => assessor.assess(bytes, onlyFaces)
  for await (const { name, species, frames, victim } of exchangedPeople(
    folder,
    { isWanted, people: options.stills },
    assessPicture,
  )) {
    if (isOver()) break
    const other = victim && (await assess(victim, onlyTemplate))
    if (!(other instanceof Error)) await look(name, species, frames, other)
  }
  let before: Still | null = null
  for await (const still of names.length === 0 ? [] : stills(folder, options.stills, assessPicture)) {
    if (isOver()) break
    portraits++
    const stranger = before && before.person !== still.person ? before.square : null
    const portrait = await openPortrait(still, stranger)
    before = still
    for (const name of names) {
      if (canAnimate(portrait, name))
        await look(still.name, name, animateStill(portrait, animations[name]!), null)
    }
  }
  process.stderr.write('\n')
  const profile = models.profileName
  const report = attackReport(rows, settings.spoofingThreshold)
  process.stdout.write(`profile ${profile}, ${portraits} portraits\n\n${attackText(report)}\n`)
  if (options.json)
    await writeFile(options.json, `${JSON.stringify({ profile, portraits, report, rows }, null, 2)}\n`)
  await assessor.close()
}
