import { AppError } from '../../errors.ts'
import type { AnalysisKind, SubjectOf } from '../analysis-kind.ts'
import { selectMedia } from '../select-media.ts'

export type DocumentsAnalysis = SubjectOf<'documents', Readonly<Record<string, never>>, never>

const notImplemented = () =>
  new AppError('not_implemented', 'Analyses of documents are not part of this release')

/** Data of identity documents. Part of a later release: requests are refused, so no such analysis ever runs. */
export const documents: AnalysisKind<DocumentsAnalysis> = {
  type: 'documents',
  open() {
    throw notImplemented()
  },
  select: (media, named) => selectMedia(named ?? media, () => true),
  wants: () => ({}),
  shots: () => ({ best: false, action: false }),
  decisiveScore: () => null,
  networks: () => [],
  decide: () => Promise.reject(notImplemented()),
}
