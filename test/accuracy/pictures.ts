/** Error rates of the running profile on labelled pictures: `pairs.csv` and `pad/labels.csv` of a folder. */
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Assessment } from '../../src/assess/assessment.ts'
import { compareTemplates, placeTemplate } from '../../src/decide/comparison.ts'
import { openServerPlatform } from '../../src/platform/servers.ts'
import { readSettings } from '../../src/settings.ts'
import { padReport, padText, verificationReport, verificationText } from './report.ts'
import { readPadLabels, readPairs } from './tables.ts'

type Assessments = Map<string, Assessment>

/** Assesses pictures on all workers, with progress on standard error. */
export async function assessAll(
  files: readonly string[],
  platform: Awaited<ReturnType<typeof openServerPlatform>>,
): Promise<Assessments> {
  const assessments: Assessments = new Map()
  const rest = [...files]
  const wanted = { faces: true, template: true, pad: true, bestShot: false }
  const work = async () => {
    for (let file = rest.pop(); file; file = rest.pop()) {
      assessments.set(file, await platform.assessor.assess(new Uint8Array(await readFile(file)), wanted))
      process.stderr.write(`\r${assessments.size} of ${files.length} pictures `)
    }
  }
  await Promise.all(Array.from({ length: platform.assessor.health().workers }, work))
  process.stderr.write('\n')
  return assessments
}

/**
 * Measures and prints.
 * @param jsonFile where the figures go as JSON; they are printed where there is none
 */
export async function measurePictures(folder: string, jsonFile: string | undefined): Promise<void> {
  const settings = readSettings({ LOG_LEVEL: 'warn', ...process.env })
  const [pairs, labels] = await Promise.all([readPairs(folder), readPadLabels(folder)])
  if (pairs.length === 0 && labels.length === 0)
    throw new Error(`${folder} holds neither pairs.csv nor pad/labels.csv`)
  const platform = await openServerPlatform('node', settings)
  const paired = [...new Set(pairs.flatMap(({ a, b }) => [a, b]))]
  const assessments = await assessAll([...new Set([...paired, ...labels.map(({ file }) => file)])], platform)

  const { cohort } = platform.models
  const placed = new Map(
    [...assessments].flatMap(([file, { subject }]) =>
      subject?.template.status === 'extracted'
        ? [[file, placeTemplate(cohort, subject.template.template)] as const]
        : [],
    ),
  )
  const attackScore = (file: string): number | null => {
    const pad = assessments.get(file)?.subject?.pad
    return pad?.status === 'assessed' ? pad.attack : null
  }
  const verification = verificationReport(
    pairs.map((pair) => {
      const [a, b] = [placed.get(pair.a), placed.get(pair.b)]
      return { ...pair, score: a && b ? compareTemplates(a, b).score : null }
    }),
    settings.matchThresholdMax,
  )
  const sourceOf = new Map(
    pairs
      .filter(({ source }) => source !== 'cross-source')
      .flatMap(({ a, b, source }) => [
        [a, source],
        [b, source],
      ]),
  )
  const padRows = [
    ...labels.map((row) => ({ ...row, score: attackScore(row.file) })),
    // The paired pictures are bona fide photographs, most of them old and small.
    ...paired.map((file) => ({
      file,
      bonaFide: true,
      detail: `paired pictures, ${sourceOf.get(file) ?? 'other'}`,
      score: attackScore(file),
    })),
  ]
  const pad = padReport(padRows, settings.spoofingThreshold)
  const undetected = paired
    .filter((file) => !assessments.get(file)?.subject)
    .map((file) => path.relative(folder, file))
  const json = JSON.stringify(
    {
      profile: platform.models.profileName,
      cohort: cohort.id,
      pictures: assessments.size,
      undetected,
      verification,
      pad,
    },
    null,
    2,
  )
  const texts = [
    `profile ${platform.models.profileName}, cohort ${cohort.id}; undetected faces among ${paired.length} paired pictures: ${undetected.length}`,
    ...(pairs.length > 0 ? [verificationText(verification)] : []),
    padText(pad),
    ...(jsonFile ? [] : [json]),
  ]
  process.stdout.write(`${texts.join('\n\n')}\n`)
  if (jsonFile) await writeFile(jsonFile, `${json}\n`)
  await platform.assessor.close()
}
