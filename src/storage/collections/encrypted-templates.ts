/** The vectors of templates as their column holds them. */
import { AppError } from '../../errors.ts'
import { decryptFloats, encryptFloats, type RowCipher } from '../encryption/row-cipher.ts'

/** Where a template belongs. The collection is its owner; moved to another person, it does not open. */
export interface TemplatePlace {
  collectionId: string
  imageId: string
  personId: string
}

const placed = (cipher: RowCipher, { collectionId, imageId, personId }: TemplatePlace) => ({
  cipher,
  ownerId: collectionId,
  place: `template ${imageId} ${personId}`,
})

export const encryptVector = (
  cipher: RowCipher,
  place: TemplatePlace,
  vector: Float32Array,
): Promise<Uint8Array> => encryptFloats(placed(cipher, place), vector)

/** @throws {AppError} `database_failed` for one that does not open: a search without it would miss somebody */
export async function decryptVector(
  cipher: RowCipher,
  row: TemplatePlace & { vector: Uint8Array },
): Promise<Float32Array> {
  const vector = await decryptFloats(placed(cipher, row), row.vector)
  if (vector) return vector
  const cause = new Error('an encrypted template does not open')
  throw new AppError('database_failed', 'a query failed', { cause })
}
