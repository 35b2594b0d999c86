import { type DecidedMedium, type Failure, failures, type Outcome } from '../../decide/analysis.ts'
import {
  type CheckResult,
  type DocumentField,
  type DocumentFields,
  type FieldName,
  gravest,
  readFields,
} from '../../documents/fields.ts'
import { isDocument } from '../../documents/is-document.ts'
import type { DocumentReading } from '../../documents/reading.ts'
import { invariant } from '../../errors.ts'
import { describeDecline } from './decline-reason.ts'

export interface DocumentsParameters {
  /** Fields that the decision depends on; `null` for all that are read. */
  fieldsToCheck: readonly FieldName[] | null
  /** Whether both pages of a booklet are read, or only the one with the machine-readable zone. */
  doublePageSpread: boolean
}

export interface DocumentsEvidence {
  /** What all media say together. */
  document: DocumentFields
  /** The fields of each medium alone; empty if there is only one. */
  media: readonly { mediumId: string; fields: readonly DocumentField[] }[]
}

interface DocumentsVerdict {
  outcome: Outcome
  evidence: DocumentsEvidence
}

/** The fields that were read, and those to be checked that were not. */
function withMissing(fields: readonly DocumentField[], wanted: readonly FieldName[] | null): DocumentField[] {
  const missing = (wanted ?? []).filter((name) => !fields.some((field) => field.name === name))
  const unread = {
    visual: null,
    visualConfidence: null,
    mrz: null,
    mrzConfidence: null,
    result: 'unsure',
  } as const
  return [...fields, ...missing.map((name) => ({ name, ...unread }))]
}

/** Why nothing can be decided; `null` if there is something. */
function findFailure(media: readonly DecidedMedium[], found: DocumentFields): Failure | null {
  const hasFace = media.some(({ assessment }) => assessment.faces.length > 0)
  const hasZone = found.unreadableZones > 0
  if (found.fields.length > 0 && (hasZone || isDocument(found, hasFace))) return null
  const mediumId = media.length === 1 ? media[0]!.id : null
  if (hasZone) return { ...failures.unreadableZone, mediumId }
  const read = media.flatMap(({ assessment }) => assessment.document ?? [])
  if (read.length === 0) return { ...failures.noPicture, mediumId }
  return { ...(read.some(({ lines }) => lines) ? failures.noDocument : failures.noZone), mediumId }
}

/** What is said of pictures that show no document: whatever was read there, it is not of one. */
export const nothing = (found: DocumentFields): DocumentFields => ({
  ...found,
  kind: null,
  issuingState: null,
  fields: [],
  validity: { ...found.validity, expiry: null, dates: null, agreement: null },
})

/** Fields of a zone that tell whose it is. */
const owner: ReadonlySet<FieldName> = new Set(['surname', 'given_names', 'birth_date', 'document_number'])

/** Whether a machine-readable zone proves what is read. Some driving licences have zones that say nothing of their holders. */
export const hasProof = ({ fields, zone }: DocumentFields): boolean =>
  zone !== null && fields.some(({ name, mrz }) => owner.has(name) && mrz !== null)

/**
 * The result of a document: what contradicts itself is declined, and an operator decides where something is doubtful. Without a
 * machine-readable zone nothing proves the reading, so a document without one never passes by itself.
 */
function judge(document: DocumentFields, wanted: readonly FieldName[] | null): CheckResult {
  const { fields, validity } = document
  const checked = withMissing(fields, wanted).filter(({ name }) => !wanted || wanted.includes(name))
  return gravest([
    ...checked.map(({ result }) => result),
    // Dates and agreement are those of fields, which the request may leave out; these are of the whole document.
    validity.checkDigits,
    validity.singleDocument,
    ...(wanted ? [] : [validity.expiry, validity.dates]),
    hasProof(document) ? 'passed' : 'unsure',
  ])!
}

const decisions = { passed: 'SUCCESS', failed: 'DECLINED', unsure: 'OPERATOR_REQUIRED' } as const

const isRead = (document: DocumentReading | null): document is DocumentReading => document !== null

/**
 * Decides an analysis of documents.
 * @param today `YYYY-MM-DD`
 */
export function decideDocuments(
  media: readonly DecidedMedium[],
  { fieldsToCheck, doublePageSpread }: DocumentsParameters,
  today: string,
): DocumentsVerdict {
  const rules = { today, doublePageSpread }
  const readings = media.map(({ assessment }) => {
    invariant(assessment.document !== undefined, 'an analysis of documents needs media that were read')
    return assessment.document
  })
  const found = readFields(readings.filter(isRead), rules)
  const failure = findFailure(media, found)
  const document = failure ? nothing(found) : { ...found, fields: withMissing(found.fields, fieldsToCheck) }
  const evidence: DocumentsEvidence = {
    document,
    media:
      media.length === 1
        ? []
        : media.map(({ id, assessment }) => ({
            mediumId: id,
            fields: assessment.document && !failure ? readFields([assessment.document], rules).fields : [],
          })),
  }
  if (failure) return { outcome: { status: 'failed', failure }, evidence }
  const result = judge(found, fieldsToCheck)
  const reason = result === 'failed' ? { reason: describeDecline(found, fieldsToCheck) } : {}
  return { outcome: { status: 'finished', decision: decisions[result], ...reason }, evidence }
}
