import { AppError } from '../../errors.ts'
import type { AnalysisKind, SubjectOf } from '../analysis-kind.ts'
import { selectMedia } from '../select-media.ts'

export type DocumentsAnalysis = SubjectOf<'documents', Readonly<Record<string, never>>, never>

const notImplemented = () =>
  new AppError('not_implemented', 'Analyses of documents are not part of this release')

/** What identity documents say. Part of a later release: nothing can be asked of it, so that nothing of it is ever run. */
export const documents: AnalysisKind<DocumentsAnalysis> = {
  type: 'documents',
  open() {
    throw notImplemented()
  },
  select: (media, named) => selectMedia(named ?? media, () => true),
  wants: () => ({}),
  shots: () => ({ best: false, action: false }),
  networks: () => [],
  decide: () => Promise.reject(notImplemented()),
}
