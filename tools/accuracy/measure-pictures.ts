/** Assesses the pictures of two tables and computes error rates from the scores. */
import { availableParallelism, cpus } from 'node:os'
import type { Assessment, CodedImage } from '../../src/assess/assessment.ts'
import { compareTemplates, normalizeTemplate, toScore } from '../../src/decide/comparison.ts'
import { checkJudgeable } from '../../src/decide/sample.ts'
import type { Platform } from '../../src/platform/platform.ts'
import { assessAll } from './assess-all.ts'
import { type AssessedSample, attackFigures } from './attack-figures.ts'
import { rounds } from './bootstrap.ts'
import { type ComparedPair, matchingFigures } from './matching-figures.ts'
import type { Measurement } from './measurement.ts'
import { padReport, verificationReport } from './report.ts'
import { type PadRow, type PairRow, personOf } from './tables.ts'
import { worstCases } from './worst-cases.ts'

const worstCount = 12

interface Inputs {
  folder: string
  pairs: readonly PairRow[]
  labels: readonly PadRow[]
  platform: Platform
  matchThreshold: number
  attackThreshold: number
  pictures: boolean
}

/** Why an assessed picture has no template or attack score; `null` if it has both. */
function lackOf({ subject }: Assessment): string | null {
  if (!subject) return 'No face was found'
  if (subject.template.status === 'too_small') return 'The face is too small for a template'
  return subject.pad.status === 'assessed' ? null : 'The face has no attack score'
}

/** Pictures of pairs without a label count as bona fide, by the source of their pairs. */
export function bonaFideOf(pairs: readonly PairRow[], labels: readonly PadRow[]): PadRow[] {
  const labelled = new Set(labels.map(({ file }) => file))
  const sourceOf = new Map<string, string>()
  for (const { a, b, source } of pairs)
    for (const file of [a, b]) if (source !== 'cross-source') sourceOf.set(file, source)
  return [...new Set(pairs.flatMap(({ a, b }) => [a, b]))]
    .filter((file) => !labelled.has(file))
    .map((file) => ({ file, bonaFide: true, detail: `paired pictures, ${sourceOf.get(file) ?? 'other'}` }))
}

function comparePairs(
  pairs: readonly PairRow[],
  assessments: ReadonlyMap<string, Assessment>,
  { cohort }: Platform['models'],
): (PairRow & { compared: ComparedPair | null })[] {
  const placed = new Map(
    [...assessments].flatMap(([file, { subject }]) =>
      subject?.template.status === 'extracted'
        ? [[file, normalizeTemplate(cohort, subject.template.template)] as const]
        : [],
    ),
  )
  // The score is a logistic function of the distance, so its log odds are linear.
  const oddsAtZero = Math.log(toScore(0) / (1 - toScore(0)))
  return pairs.map((pair) => {
    const [a, b] = [placed.get(pair.a), placed.get(pair.b)]
    if (!a || !b) return { ...pair, compared: null }
    const { score, normalisedDistance } = compareTemplates(a, b)
    const people = [personOf(pair.a), personOf(pair.b)] as const
    return { ...pair, compared: { ...pair, people, score, logOdds: oddsAtZero - normalisedDistance } }
  })
}

const showRounds = (done: number) =>
  void process.stderr.write(`\rintervals: ${done} of ${rounds} rounds${done === rounds ? '\n' : ''}`)

const dataAddress = ({ bytes, mimeType }: CodedImage) =>
  `data:${mimeType};base64,${Buffer.from(bytes).toString('base64')}`

/** Measures; the reports are those of the printed text. */
export async function measureTables(inputs: Inputs) {
  const { folder, pairs, labels, platform, matchThreshold, attackThreshold } = inputs
  const { models } = platform
  const paired = [...new Set(pairs.flatMap(({ a, b }) => [a, b]))]
  const files = [...new Set([...paired, ...labels.map(({ file }) => file)])]
  const { assessments, refused } = await assessAll(folder, files, platform, inputs.pictures)

  const rows = comparePairs(pairs, assessments, models)
  const compared = rows.flatMap((row) => (row.compared ? [row.compared] : []))
  const samples = [...labels, ...bonaFideOf(pairs, labels)].map((row) => {
    const subject = assessments.get(row.file)?.subject
    const score = subject?.pad.status === 'assessed' ? subject.pad.attack : null
    return { ...row, score, isJudged: !subject || checkJudgeable(subject.quality) === null }
  })
  const assessed = samples.flatMap(({ score, isJudged: _, ...row }): AssessedSample[] =>
    score === null ? [] : [{ ...row, score }],
  )
  const verification = verificationReport(
    rows.map((row) => ({ ...row, score: row.compared?.score ?? null })),
    matchThreshold,
  )
  const pad = padReport(samples, attackThreshold)
  const worst = worstCases(compared, assessed, worstCount)
  const shown = [
    ...[...worst.mated, ...worst.nonMated].flatMap(({ a, b }) => [a, b]),
    ...[...worst.bonaFide, ...worst.attacks].map(({ file }) => file),
  ]
  const measurement: Measurement = {
    profile: models.profileName,
    assurance: models.profile.assurance,
    models: models.entries.map(({ task, id, name }) => ({ task, id, name })),
    templateModelId: models.cohort.templateModelId,
    cohort: models.cohort.id,
    date: new Date(platform.nowMs()).toISOString(),
    machine: {
      cpu: cpus()[0]?.model.trim() ?? 'unknown',
      cores: availableParallelism(),
      runtime: `Node ${process.versions.node}`,
    },
    pictures: files.length,
    people: new Set(paired.map(personOf)).size,
    matching:
      pairs.length === 0
        ? null
        : {
            figures: matchingFigures(compared, matchThreshold, showRounds),
            accuracy: verification.accuracy,
            pairs: compared,
            notCompared: pairs.length - compared.length,
          },
    attack: {
      figures: attackFigures(assessed, attackThreshold),
      samples: assessed,
      threshold: attackThreshold,
      areaUnderCurve: pad.auc,
    },
    worst,
    unassessed: files.flatMap((file) => {
      const assessment = assessments.get(file)
      const reason = assessment ? lackOf(assessment) : (refused.get(file) ?? null)
      return reason === null ? [] : [{ file, reason }]
    }),
    thumbnails: inputs.pictures
      ? new Map(shown.map((file) => [file, dataAddress(assessments.get(file)!.thumbnail!)]))
      : null,
  }
  const undetected = paired.filter((file) => !assessments.get(file)?.subject)
  return { measurement, verification, pad, paired: paired.length, undetected }
}
