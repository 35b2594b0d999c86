import { isDocument } from '../../decide/analysis.ts'
import { AppError } from '../../errors.ts'
import type { AnalysisKind, SubjectOf } from '../analysis-kind.ts'
import { selectMedia } from '../select-media.ts'
import {
  type DocumentsEvidence,
  type DocumentsParameters,
  decideDocuments,
  hasProof,
  nothing,
} from './decide.ts'
import { describeDecline, explainDocument } from './decline-reason.ts'
import { specimenWith } from './specimen.ts'

export type DocumentsAnalysis = SubjectOf<'documents', DocumentsParameters, DocumentsEvidence>

/** Data of identity documents: the fields of the machine-readable zone and of the printed page. */
export const documents: AnalysisKind<DocumentsAnalysis> = {
  type: 'documents',
  open({ fieldsToCheck = null, doublePageSpread = true }, { documents: isOn }) {
    if (!isOn) throw new AppError('not_implemented', 'This server analyses no documents')
    return { type: 'documents', parameters: { fieldsToCheck, doublePageSpread }, evidence: null }
  },
  select(media, named, rules) {
    if (named) return selectMedia(named, () => true)
    if (rules && !rules.documentTags)
      return selectMedia(
        media.filter((medium) => !rules.isClip(medium)),
        () => true,
      )
    const tagged = media.filter(({ tags }) => isDocument(tags))
    return selectMedia(tagged.length > 0 ? tagged : media, (tags) => tagged.length > 0 || tags.length === 0)
  },
  wants: () => ({ document: { page: true }, portrait: true }),
  shots: () => ({ best: false, action: false, portrait: true }),
  decisiveScore: () => null,
  explain({ evidence, parameters: { fieldsToCheck } }, decision) {
    const document = evidence?.document ?? null
    return explainDocument(document, fieldsToCheck, document !== null && hasProof(document), decision)
  },
  stage({ decision, code, mediumIds }, { fieldsToCheck }) {
    const specimen = specimenWith(code)
    const document = decision === null ? { ...nothing(specimen), zone: null, format: null } : specimen
    const fields =
      mediumIds.length === 1 ? [] : mediumIds.map((mediumId) => ({ mediumId, fields: document.fields }))
    return {
      evidence: { document, media: fields },
      ...(decision === 'DECLINED' ? { reason: describeDecline(document, fieldsToCheck) } : {}),
    }
  },
  networks: ({ detector, landmarks }, { mrz, textDetection, textRecognition }) =>
    [detector, landmarks, mrz, textDetection, textRecognition].filter((id) => id !== undefined),
  async decide({ nowMs }, media, parameters) {
    const today = new Date(nowMs()).toISOString().slice(0, 10)
    return { ...decideDocuments(media, parameters, today), parameters }
  },
}
