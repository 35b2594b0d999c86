/** Makes the report of a folder: what it holds and how it was decided, as texts. */
import { findAnalysisView, wireType } from '../contract/full/analysis-views/registry.ts'
import type { JudgedScore } from '../contract/full/analysis-views/subject-view.ts'
import { sampleView, type ViewOptions } from '../contract/full/media-view.ts'
import { reasonTexts } from '../decide/reasons.ts'
import { writeExactJson } from '../exact-json.ts'
import type { AnalysisRecord } from '../records/analysis.ts'
import { type DecisionRecord, isVerdict } from '../records/decision.ts'
import { explainAnalysis } from '../records/explain-analysis.ts'
import type { FolderRecord } from '../records/folder.ts'
import { type MediumRecord, mediumKind } from '../records/medium.ts'
import { describeUser, listDecisions } from './decisions.ts'
import type {
  NamedValue,
  Report,
  ReportAnalysis,
  ReportMedium,
  ReportModels,
  ReportPicture,
  ReportScore,
} from './report.ts'
import {
  analysisTitles,
  describeScore,
  describeVerdict,
  findNumber,
  flattenValues,
  formatBytes,
  formatScore,
  formatTime,
  listNumbers,
  shorten,
} from './texts.ts'

/** What a report is made of. */
export interface ReportSource {
  id: string
  fileName: string
  createdAtMs: number
  folder: FolderRecord
  /** Of operators, the oldest first. */
  decisions: readonly DecisionRecord[]
  companyName: string
  /** The field of the metadata that tells what the company calls its cases. */
  referenceField: string | null
  template: { name: string; attachments: boolean; metadataFields: readonly string[] }
  version: string
  options: Pick<ViewOptions, 'showReplay' | 'showLiveness'>
  /** The pictures of a medium. */
  picturesOf(medium: MediumRecord): readonly ReportPicture[]
}

const meanings: Readonly<Record<string, string>> = {
  INITIAL: 'No analysis was requested.',
  PROCESSING: 'At least one analysis has not ended.',
  FAILED: 'At least one analysis could not be decided.',
  DECLINED: 'At least one analysis was declined.',
  OPERATOR_REQUIRED: 'At least one analysis needs the decision of an operator.',
  SUCCESS: 'All analyses ended with success.',
}

/** What the system's result means. */
const describeResult = ({ result, analyses }: FolderRecord): string =>
  [
    ...(analyses.some(({ sandbox }) => sandbox) ? ['Made in a sandbox: nothing was checked.'] : []),
    meanings[result.systemResolution] ?? '',
  ].join(' ')

/** A field of metadata by its name, or by the names on its path, separated by points. */
function findMetadata(metadata: Readonly<Record<string, unknown>>, field: string): unknown {
  if (Object.hasOwn(metadata, field)) return metadata[field]
  return field
    .split('.')
    .reduce<unknown>(
      (value, name) =>
        value !== null && typeof value === 'object' && Object.hasOwn(value, name)
          ? (value as Record<string, unknown>)[name]
          : undefined,
      metadata,
    )
}

const showMetadata = (value: unknown): string =>
  shorten(typeof value === 'string' ? value : value === null ? '' : writeExactJson(value))

function chosenFields({ folder, template }: ReportSource): NamedValue[] {
  return template.metadataFields.flatMap((name) => {
    const value = findMetadata(folder.metadata, name)
    return value === undefined ? [] : [{ name, value: showMetadata(value) }]
  })
}

function stateOf({ outcome }: AnalysisRecord): string {
  if (outcome.status === 'processing') return 'PROCESSING'
  return outcome.status === 'finished' ? 'FINISHED' : 'FAILED'
}

const showSystemResolution = ({ outcome }: AnalysisRecord): string =>
  outcome.status === 'finished' ? outcome.decision : outcome.status.toUpperCase()

function reportScore(
  analysis: string,
  { type, title }: Pick<ReportScore, 'type' | 'title'>,
  { name, mediumIds, personId, score, rule, threshold, state }: JudgedScore,
  folder: FolderRecord,
): ReportScore {
  const person = personId === undefined ? '' : `, person ${personId}`
  return {
    ...{ analysis, type, title, state },
    name: `${name}${person}`,
    label: `${describeScore(name)}${person}`,
    media: listNumbers(mediumIds.map((id) => findNumber(folder.media, id))),
    score: formatScore(score, threshold),
    required: `${rule} ${formatScore(threshold, null)}`,
  }
}

/** Evidence besides scores; comparisons are shown as scores. */
function analysisEvidence(analysis: AnalysisRecord): NamedValue[] {
  const view = findAnalysisView(analysis)
  const { comparisons: _, ...technical } = view.technical(analysis)
  return flattenValues({ ...view.facts?.(analysis), ...technical })
}

function describeFailure({ outcome }: AnalysisRecord, folder: FolderRecord): string {
  if (outcome.status !== 'failed') return ''
  const { code, message, mediumId } = outcome.failure
  const medium = mediumId === null ? '' : ` (medium ${findNumber(folder.media, mediumId)})`
  return `${code}: ${message}${medium}`
}

/** The reasons by their codes, each with its sentence and the media that it concerns. */
const listReasons = (analysis: AnalysisRecord, folder: FolderRecord): NamedValue[] =>
  explainAnalysis(analysis).map(({ code, mediumIds }) => {
    const numbers = listNumbers(mediumIds.map((id) => findNumber(folder.media, id)))
    return {
      name: code,
      value: `${reasonTexts[code].message}${numbers === '' ? '' : ` (medium ${numbers})`}`,
    }
  })

function reportAnalysis(analysis: AnalysisRecord, index: number, source: ReportSource): ReportAnalysis {
  const { folder, options } = source
  const number = String(index + 1)
  const type = wireType(analysis.type)
  const system = showSystemResolution(analysis)
  const { operator, models } = analysis
  const title = analysisTitles[analysis.type]
  const resolution = (analysis.outcome.status === 'finished' ? operator?.decision : null) ?? system
  return {
    number,
    id: analysis.id,
    ...{ type, title },
    state: stateOf(analysis),
    systemResolution: system,
    systemVerdict: describeVerdict(system),
    resolution,
    verdict: describeVerdict(resolution),
    resolutionOperator: operator?.decision ?? '',
    operatorVerdict: operator?.decision ? describeVerdict(operator.decision) : '',
    resolutionComment: shorten(operator?.comment ?? ''),
    error: describeFailure(analysis, folder),
    reasons: listReasons(analysis, folder),
    timeCreated: formatTime(analysis.createdAtMs),
    timeUpdated: formatTime(analysis.updatedAtMs),
    media: listNumbers(analysis.media.map(({ mediumId }) => findNumber(folder.media, mediumId))),
    scores: findAnalysisView(analysis)
      .scores(analysis, options)
      .map((score) => reportScore(number, { type, title }, score, folder)),
    evidence: analysisEvidence(analysis),
    profile: models?.profile ?? '',
    assurance: models?.assurance ?? '',
    networks: models?.networks.join(', ') ?? '',
  }
}

function reportMedium(medium: MediumRecord, index: number, source: ReportSource): ReportMedium {
  const { original } = medium
  const clip = original.clip
  const length = clip ? `, ${clip.durationS.toFixed(1)} s` : ''
  return {
    number: String(index + 1),
    id: medium.id,
    kind: mediumKind(original),
    name: shorten(medium.originalName ?? ''),
    tags: medium.tags.join(', '),
    type: original.mimeType,
    size: formatBytes(original.size),
    dimensions: `${original.width} × ${original.height}${length}`,
    md5: original.md5,
    timeCreated: formatTime(medium.createdAtMs),
    pictures: source.template.attachments ? source.picturesOf(medium) : [],
    evidence: medium.sample ? flattenValues(sampleView(medium.sample)) : [],
  }
}

/** The networks in use, each set once. */
function listModels(analyses: readonly ReportAnalysis[]): ReportModels[] {
  const sets = new Map<string, { models: Omit<ReportModels, 'analyses'>; numbers: string[] }>()
  for (const { number, profile, assurance, networks } of analyses) {
    if (networks === '') continue
    const key = [profile, assurance, networks].join('\n')
    const known = sets.get(key)
    if (known) known.numbers.push(number)
    else sets.set(key, { models: { profile, assurance, networks }, numbers: [number] })
  }
  return [...sets.values()].map(({ models, numbers }) => ({ ...models, analyses: listNumbers(numbers) }))
}

/** The verdict on the folder, and whose it is: of several decisions that of the newest that says the same. A remark decides nothing. */
function standingVerdict({ review, result, analyses }: FolderRecord) {
  const { status } = review
  if (!isVerdict(status)) {
    const { systemResolution } = result
    return {
      resolution: systemResolution,
      verdict: describeVerdict(systemResolution),
      decidedBy: 'the service',
    }
  }
  const same = analyses.flatMap(({ operator }) => (operator?.decision === status ? [operator] : []))
  const { authorId, atMs } = same.sort((a, b) => b.atMs - a.atMs)[0] ?? review
  return {
    resolution: status,
    verdict: describeVerdict(status),
    decidedBy: [describeUser(authorId), ...(atMs === null ? [] : [formatTime(atMs)])].join(', '),
  }
}

export function makeReport(source: ReportSource): Report {
  const { folder, template, referenceField } = source
  const { review, result } = folder
  const analyses = folder.analyses.map((analysis, index) => reportAnalysis(analysis, index, source))
  const fields = chosenFields(source)
  return {
    report: {
      id: source.id,
      fileName: source.fileName,
      timeCreated: formatTime(source.createdAtMs),
      template: template.name,
    },
    service: { version: source.version },
    folder: {
      id: folder.id,
      companyId: folder.companyId ?? '',
      companyName: source.companyName,
      userId: folder.userId ?? '',
      timeCreated: formatTime(folder.createdAtMs),
      timeUpdated: formatTime(folder.updatedAtMs),
      resolutionStatus: result.resolutionStatus,
      systemResolution: result.systemResolution,
      systemVerdict: describeVerdict(result.systemResolution),
      meaning: describeResult(folder),
      operatorStatus: shorten(review.status ?? ''),
      operatorComment: shorten(review.comment ?? ''),
      operatorRemark: [isVerdict(review.status) ? null : review.status, review.comment]
        .flatMap((text) => (text ? [shorten(text)] : []))
        .join(': '),
      ...standingVerdict(folder),
      reference: fields.find(({ name }) => name === referenceField)?.value ?? '',
    },
    fields,
    analyses,
    scores: analyses.flatMap(({ scores }) => scores),
    media: folder.media.map((medium, index) => reportMedium(medium, index, source)),
    decisions: listDecisions(folder, source.decisions),
    models: listModels(analyses),
    attachments: template.attachments,
  }
}
