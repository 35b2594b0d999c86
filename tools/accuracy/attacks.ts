/** Measures how many animated stills pass as people, and how many clips of another person pass as a victim. */

import { writeFile } from 'node:fs/promises'
import { decideVerification } from '../../src/analyses/verification/decide.ts'
import type { Assessment, AssessmentRequest } from '../../src/assess/assessment.ts'
import { openMedium } from '../../src/media/opened-medium.ts'
import { openServerPlatform } from '../../src/platform/servers.ts'
import { hasFfmpeg } from '../../test/fixtures/clips.ts'
import { type ClipFormat, clipFormats, clipsOf } from './animation/animated-stills.ts'
import { type AttackClip, animatedPeople, labelledAttacks, recapturedPeople } from './attack-clips.ts'
import { type AttackRow, attackReport, attackText } from './attack-report.ts'
import { rowOf } from './clips.ts'
import { photosAmongFrontal, photosAmongTurned, strangersInTurn } from './exchanged-people.ts'
import { measuredSettings } from './measured-settings.ts'
import { type Part, takeTurns } from './take-turns.ts'

interface AttackOptions {
  /** Number of the folder's people that are animated, besides those of the packages, and of its people that are exchanged. */
  stills: number
  /** Only attacks whose names contain this text; default: all. */
  only: string | undefined
  /** No clip is begun after so many minutes. */
  minutesMax: number
  json: string | undefined
}

const onlyFaces = { faces: true, template: false, pad: false, bestShot: false }
const onlyTemplate = { ...onlyFaces, template: true }
const wanted = { faces: true, template: false, pad: true, bestShot: false }

/** There are more kinds of animations than of anything else. */
const animationShare = 4

/**
 * Measures and prints.
 * @param folder may hold `faces/` or pictures, `pad/labels.csv`, and `pairs.csv` and `video/` for clips that exchange people
 */
export async function measureAttacks(folder: string, options: AttackOptions): Promise<void> {
  if (!hasFfmpeg) throw new Error('clips are made by ffmpeg, which is not installed')
  const settings = measuredSettings()
  const platform = await openServerPlatform('node', settings)
  const { assessor, models } = platform
  const rows: AttackRow[] = []
  const endMs = performance.now() + options.minutesMax * 60_000
  const isWanted = (name: string) => name.includes(options.only ?? '')
  const band = { min: settings.matchThresholdMin, max: settings.matchThresholdMax }
  const assess = (bytes: Uint8Array, wanted: AssessmentRequest): Promise<Assessment | Error> =>
    assessor.assess(openMedium(bytes), wanted).catch((error: Error) => error)
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
  const look = async ({ name, species, frames, quality }: AttackClip, victim: Assessment | null) => {
    const clips = await clipsOf(frames, quality)
    const lookAt = async (format: ClipFormat) => {
      const assessment = await assess(await clips[format](), { ...wanted, template: victim !== null })
      const row = rowOf({ name, species }, assessment, settings.spoofingThreshold)
      const fails = row.outcome === 'passed' && victim !== null && !matches(assessment, victim)
      rows.push({ ...row, ...(fails && { outcome: 'declined' }), animation: species, format })
      process.stderr.write(`\r${rows.length} clips `)
    }
    await Promise.all(clipFormats.map(lookAt))
  }
  const people = { isWanted, people: options.stills }
  const assessPicture = (bytes: Uint8Array) => assessor.assess(openMedium(bytes), onlyFaces)
  const parts: Part<AttackClip>[] = [
    { share: animationShare, items: animatedPeople(folder, people, assessPicture) },
    { share: 1, items: labelledAttacks(folder, isWanted, assessPicture) },
    { share: 1, items: recapturedPeople(folder, people, assessPicture) },
    { share: 1, items: photosAmongTurned(folder, people, assessPicture) },
    { share: 1, items: photosAmongFrontal(folder, people, assessPicture) },
    { share: 1, items: strangersInTurn(folder, people, assessPicture) },
  ]
  const now = () => performance.now()
  for await (const clip of takeTurns(parts, now)) {
    if (now() > endMs) break
    const victim = clip.victim && (await assess(clip.victim, onlyTemplate))
    if (!(victim instanceof Error)) await look(clip, victim)
  }
  process.stderr.write('\n')
  const profile = models.profileName
  const report = attackReport(rows, settings.spoofingThreshold)
  const pictures = new Set(rows.map(({ name }) => name)).size
  process.stdout.write(
    `Profile \`${profile}\`, ${rows.length} clips of ${pictures} pictures and pairs of them.\n\n${attackText(report)}\n`,
  )
  if (options.json)
    await writeFile(options.json, `${JSON.stringify({ profile, pictures, report, rows }, null, 2)}\n`)
  await assessor.close()
}
