/** The fields of a payload that belong to one medium. */
import type { Payload } from '../../contract/full/payload.ts'
import { refuseExcess } from '../../contract/metadata.ts'
import type { Metadata } from '../../records/medium.ts'

/** The fields of a payload about media. */
export type MediaPayload = Pick<Payload, 'media:tags' | 'media:meta_data'>

function getOwn<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}

/** Tags (`null` if the payload names none) and metadata of a medium. @throws {AppError} as `refuseExcess` */
export const fieldsOf = (
  payload: MediaPayload,
  name: string,
): { tags: readonly string[] | null; metadata: Metadata } => ({
  tags: getOwn(payload['media:tags'], name) ?? null,
  metadata: refuseExcess(getOwn(payload['media:meta_data'], name) ?? {}),
})
