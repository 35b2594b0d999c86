import type { DocumentsAnalysis } from '../../../analyses/documents/documents.ts'
import type { SubjectView } from './subject-view.ts'

export const documentsView: SubjectView<DocumentsAnalysis> = {
  word: 'DOCUMENTS',
  results: () => null,
  mediumResults: () => null,
  persons: () => [],
  scores: () => [],
  confs: () => ({}),
  technical: () => ({}),
}
