import { AppError } from '../errors.ts'

/**
 * Selects the eligible media without duplicates: a medium listed twice would be compared with itself, and match.
 * @throws {AppError} `media_missing` if there are none
 */
export function selectMedia<Medium extends { tags: readonly string[] }>(
  candidates: readonly Medium[],
  isEligible: (tags: readonly string[]) => boolean,
): Medium[] {
  const selected = [...new Set(candidates)].filter(({ tags }) => isEligible(tags))
  if (selected.length === 0) throw new AppError('media_missing', "Can't start analysis without media")
  return selected
}

/** False for the back of a document, which shows no portrait. */
export const canShowPortrait = (tags: readonly string[]): boolean => !tags.includes('photo_id_back')
