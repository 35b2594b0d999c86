import { AppError } from '../errors.ts'
import { type AnalysisType, isDocument } from './analysis.ts'

type DecidedType = Exclude<AnalysisType, 'documents'>

interface Selectable {
  tags: readonly string[]
}

/** Whether a medium takes part in analyses of a type that do not name their media. */
const takesPart: Record<DecidedType, (tags: readonly string[]) => boolean> = {
  liveness: (tags) => !isDocument(tags),
  // The back of a document shows no portrait.
  verification: (tags) => !tags.includes('photo_id_back'),
  identification: (tags) => !tags.includes('photo_id_back'),
}

/**
 * The media an analysis works on.
 * @param named the media the request lists for this analysis, `null` when it lists none
 * @throws {AppError} `media_missing` when nothing is eligible, `value_invalid` when a comparison has fewer than two
 */
export function selectMedia<Medium extends Selectable>(
  type: DecidedType,
  media: readonly Medium[],
  named: readonly Medium[] | null,
): Medium[] {
  // Liveness of a photographed document means nothing, whoever asks; a named back of a document may be compared.
  // A medium that is named twice would be compared with itself, and match.
  const candidates = [...new Set(named ?? media)]
  const always = type === 'verification' && named !== null
  const selected = candidates.filter(({ tags }) => always || takesPart[type](tags))
  if (selected.length === 0) throw new AppError('media_missing', "Can't start analysis without media")
  if (type === 'verification' && selected.length < 2) {
    throw new AppError('value_invalid', 'Biometry analysis needs at least two media with a face')
  }
  return selected
}

/** Types that this release decides. */
export const isBuilt = (type: AnalysisType): type is DecidedType => type !== 'documents'
