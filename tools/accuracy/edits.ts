/** Measures whether edits of a photo, and borders around it, change its attack score. */

import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { hasSecondSubject } from '../../src/decide/sample.ts'
import { openMedium } from '../../src/media/opened-medium.ts'
import type { RgbaImage } from '../../src/media/rgba-image.ts'
import { openServerPlatform } from '../../src/platform/servers.ts'
import { shrinkToSide } from '../../src/vision/resample.ts'
import { testCodecs, toPyramid } from '../../test/fixtures/codecs.ts'
import { decode } from '../../test/fixtures/portraits.ts'
import { type EditRow, editReport, editText } from './edits/edit-report.ts'
import { type PictureEdit, pictureEdits } from './edits/picture-edits.ts'
import { recaptures } from './edits/recaptures.ts'
import { bonaFideOf } from './measure-pictures.ts'
import { measuredSettings } from './measured-settings.ts'
import { spread } from './spread.ts'
import { type PadRow, readTables } from './tables.ts'
import { turnUpright } from './turn-upright.ts'

interface EditOptions {
  /** Maximum number of photos of people; all labelled attacks are used. */
  stills: number
  /** Only edits whose names contain this text; default: all. */
  only: string | undefined
  /** No photo is begun after so many minutes. */
  minutesMax: number
  json: string | undefined
}

/** Longer side of the edited photos: sufficient for every network, and fast. */
const sideMax = 640

const wanted = { faces: true, template: false, pad: true, bestShot: false }

interface Sample {
  name: string
  group: string
  bonaFide: boolean
  image: RgbaImage
}

/** The photos, and those of people additionally as simulated prints and screens. */
async function* samplesOf(folder: string, rows: readonly PadRow[]): AsyncGenerator<Sample> {
  for (const { file, bonaFide } of rows) {
    const whole = await decode(new Uint8Array(await readFile(path.resolve(folder, file))))
    const image = shrinkToSide(toPyramid(whole), sideMax)
    yield { name: file, group: bonaFide ? 'people' : 'attacks', bonaFide, image }
    if (!bonaFide) continue
    for (const [species, recapture] of Object.entries(recaptures))
      yield {
        name: `${file}, ${species}`,
        group: 'simulated attacks',
        bonaFide: false,
        image: recapture(image),
      }
  }
}

/**
 * Measures and prints.
 * @param folder contains `pad/labels.csv`, `pairs.csv`, or both
 * @throws {InputError} if the tables are invalid
 */
export async function measureEdits(folder: string, options: EditOptions): Promise<void> {
  const { pairs, labels } = await readTables(folder)
  const people = [...labels.filter(({ bonaFide }) => bonaFide), ...bonaFideOf(pairs, labels)]
  const settings = measuredSettings()
  const platform = await openServerPlatform('node', settings)
  const { assessor } = platform
  const edits = pictureEdits.filter(({ name }) => name.includes(options.only ?? ''))
  const rows: EditRow[] = []
  const assess = async (image: RgbaImage, quality: number) =>
    assessor.assess(openMedium(await testCodecs.encodeJpeg({ image, quality })), wanted)
  const samples = samplesOf(folder, [
    ...labels.filter(({ bonaFide }) => !bonaFide),
    ...spread(people, options.stills),
  ])
  const endMs = performance.now() + options.minutesMax * 60_000
  for await (const { image, ...sample } of samples) {
    if (performance.now() > endMs) break
    const look = async (edit: PictureEdit | null, edited: RgbaImage, quality: number) => {
      const assessment = await assess(edited, quality)
      const { faces, subject, quarterTurns } = assessment
      const { pad } = subject ?? {}
      const isDecided = !hasSecondSubject({ assessment, tags: [] })
      rows.push({
        ...sample,
        edit: edit?.name ?? null,
        isBorder: edit?.isBorder ?? false,
        without: edit?.without ?? null,
        score: isDecided && pad?.status === 'assessed' ? pad.attack : null,
      })
      process.stderr.write(`\r${rows.length} photos `)
      return faces[0] && { box: faces[0].box, quarterTurns }
    }
    const seen = await look(null, image, 100)
    if (!seen) continue
    const upright = { image: turnUpright(image, seen.quarterTurns), box: seen.box }
    await Promise.all(edits.map((edit) => look(edit, edit.change(upright), edit.quality)))
  }
  process.stderr.write('\n')
  const profile = platform.models.profileName
  const report = editReport(rows, settings.spoofingThreshold)
  process.stdout.write(`Profile \`${profile}\`, ${edits.length} edits.\n\n${editText(report)}\n`)
  if (options.json) await writeFile(options.json, `${JSON.stringify({ profile, report, rows }, null, 2)}\n`)
  await assessor.close()
}
