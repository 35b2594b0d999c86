/** How many stills that are brought to life by code pass as people, by what is done to them. */
import { writeFile } from 'node:fs/promises'
import type { Assessment } from '../../src/assess/assessment.ts'
import { openServerPlatform } from '../../src/platform/servers.ts'
import { readSettings } from '../../src/settings.ts'
import { hasFfmpeg } from '../fixtures/clips.ts'
import { animatedStill, clipFormats, openPortrait } from './animation/animated-stills.ts'
import { animations, canAnimate } from './animation/animations.ts'
import { type AttackRow, attackReport, attackText } from './attack-report.ts'
import { rowOf } from './clips.ts'
import { type Still, stills } from './moved-stills.ts'

export interface AttackOptions {
  /** Pictures of the folder that are brought to life, besides those of the packages. */
  stills: number
  /** Animations whose names hold this text alone; all where there is none. */
  only: string | undefined
  json: string | undefined
}

const onlyFaces = { faces: true, template: false, pad: false, bestShot: false }
const wanted = { faces: true, template: false, pad: true, bestShot: false }

/**
 * Measures and prints.
 * @param folder may hold `faces/` or pictures
 */
export async function measureAttacks(folder: string, options: AttackOptions): Promise<void> {
  if (!hasFfmpeg) throw new Error('clips are made by ffmpeg, which is not installed')
  const settings = readSettings({ LOG_LEVEL: 'warn', ...process.env })
  const platform = await openServerPlatform('node', settings)
  const { assessor } = platform
  const rows: AttackRow[] = []
  const names = Object.keys(animations).filter((name) => name.includes(options.only ?? ''))
  let portraits = 0
  let before: Still | null = null
  const look = async (name: string, animation: string, format: AttackRow['format'], bytes: Uint8Array) => {
    const sample = { name, species: animation }
    const assessment: Assessment | Error = await assessor.assess(bytes, wanted).catch((error: Error) => error)
    rows.push({ ...rowOf(sample, assessment, settings.spoofingThreshold), animation, format })
    process.stderr.write(`\r${portraits} portraits, ${rows.length} clips `)
  }
  const assessPicture = (bytes: Uint8Array) => assessor.assess(bytes, onlyFaces)
  for await (const still of stills(folder, options.stills, assessPicture)) {
    portraits++
    const stranger = before && before.person !== still.person ? before.square : null
    const portrait = await openPortrait(still, stranger)
    before = still
    for (const name of names) {
      if (!canAnimate(portrait, name)) continue
      const clips = await animatedStill(portrait, animations[name]!)
      await Promise.all(
        clipFormats.map(async (format) => look(still.name, name, format, await clips[format]())),
      )
    }
  }
  process.stderr.write('\n')
  const profile = platform.models.profileName
  const report = attackReport(rows, settings.spoofingThreshold)
  process.stdout.write(`profile ${profile}, ${portraits} portraits\n\n${attackText(report)}\n`)
  if (options.json)
    await writeFile(options.json, `${JSON.stringify({ profile, portraits, report, rows }, null, 2)}\n`)
  await assessor.close()
}
