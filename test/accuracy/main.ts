/**
 * `npm run accuracy -- DIR [--json FILE]`: error rates of the running profile on labelled pictures.
 *
 * DIR holds `pairs.csv` and `pad/labels.csv`. The text goes to standard output, progress to standard error.
 */
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import type { Assessment } from '../../src/assess/assessment.ts'
import { compareTemplates, placeTemplate } from '../../src/decide/comparison.ts'
import { openServerPlatform } from '../../src/platform/servers.ts'
import { readSettings } from '../../src/settings.ts'
import { padReport, padText, verificationReport, verificationText } from './report.ts'
import { readPadLabels, readPairs } from './tables.ts'

type Assessments = Map<string, Assessment>

function fail(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(2)
}

const settings = readSettings({ LOG_LEVEL: 'warn', ...process.env })

async function assessAll(
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

const { positionals, values } = parseArgs({ allowPositionals: true, options: { json: { type: 'string' } } })
const [folder] = positionals
if (!folder) fail('usage: npm run accuracy -- DIR [--json FILE]')

const [pairs, labels] = await Promise.all([readPairs(folder), readPadLabels(folder)])
if (pairs.length === 0 && labels.length === 0) fail(`${folder} holds neither pairs.csv nor pad/labels.csv`)
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
  ...(values.json ? [] : [json]),
]
process.stdout.write(`${texts.join('\n\n')}\n`)
if (values.json) await writeFile(values.json, `${json}\n`)
await platform.assessor.close()
