/** What a company calls a case: the value of the metadata field that it has chosen. */
import type { Company, Folder } from '../../client/index.ts'

const lengthMax = 100

/** @returns `null` if the company has chosen none, or the folder lacks it */
export function referenceOf(
  folder: Pick<Folder, 'meta_data'> & { company?: Pick<Company, 'reference_field'> },
): string | null {
  const field = folder.company?.reference_field ?? null
  const value = field === null ? null : folder.meta_data[field]
  if (!['string', 'number', 'bigint'].includes(typeof value)) return null
  return String(value).trim().slice(0, lengthMax) || null
}
