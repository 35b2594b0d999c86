/** Error rates of the running profile on labelled pictures: `pairs.csv` and `pad/labels.csv` of a folder. */
import { writeFile } from 'node:fs/promises'
import { openServerPlatform } from '../../src/platform/servers.ts'
import { measureTables } from './measure-pictures.ts'
import { measuredSettings } from './measured-settings.ts'
import { checkWritable } from './output-files.ts'
import { reportPage } from './page/page.ts'
import { padText, verificationText } from './report.ts'
import { readTables } from './tables.ts'

type Outcome = Awaited<ReturnType<typeof measureTables>>

/** The figures for other programs. */
function jsonOf({ measurement, verification, pad, undetected }: Outcome): string {
  const { matching, attack, unassessed } = measurement
  return JSON.stringify(
    {
      profile: measurement.profile,
      assurance: measurement.assurance,
      cohort: measurement.cohort,
      models: measurement.models,
      templateModelId: measurement.templateModelId,
      date: measurement.date,
      machine: measurement.machine,
      pictures: measurement.pictures,
      people: measurement.people,
      undetected,
      unassessed,
      verification,
      matching: matching && {
        ...matching.figures,
        accuracy: matching.accuracy,
        notCompared: matching.notCompared,
      },
      pad: { ...pad, rates: attack.figures },
    },
    null,
    2,
  )
}

/**
 * Measures and prints.
 * @param options.json output file for the figures as JSON; without it and `report` they are printed
 * @param options.report output file for the page
 * @param options.pictures whether the page shows the worst cases
 * @throws {InputError} if the folder or the output files are invalid
 */
export async function measurePictures(
  folder: string,
  options: { json: string | undefined; report: string | undefined; pictures: boolean },
): Promise<void> {
  const settings = measuredSettings()
  if (options.json) await checkWritable('--json', options.json)
  if (options.report) await checkWritable('--report', options.report)
  const tables = await readTables(folder)
  const platform = await openServerPlatform('node', settings)
  const outcome = await measureTables({
    folder,
    ...tables,
    platform,
    matchThreshold: settings.matchThresholdMax,
    attackThreshold: settings.spoofingThreshold,
    pictures: options.pictures,
  })
  const { measurement, verification, pad, paired, undetected } = outcome
  const json = jsonOf(outcome)
  const texts = [
    `profile ${measurement.profile}, cohort ${measurement.cohort}; undetected faces among ${paired} paired pictures: ${undetected.length}`,
    ...(tables.pairs.length > 0 ? [verificationText(verification)] : []),
    padText(pad),
    ...(options.json || options.report ? [] : [json]),
  ]
  process.stdout.write(`${texts.join('\n\n')}\n`)
  if (options.json) await writeFile(options.json, `${json}\n`)
  if (options.report) await writeFile(options.report, reportPage(measurement))
  await platform.assessor.close()
}
