/** The fields of a payload that belong to one medium. */
import type { Payload } from '../../contract/full/payload.ts'
import { refuseExcess } from '../../contract/metadata.ts'
import { AppError } from '../../errors.ts'
import type { Metadata } from '../../records/medium.ts'
import type { Settings } from '../../settings.ts'

/** The fields of a payload about media. */
export type MediaPayload = Pick<Payload, 'media:tags' | 'media:meta_data'>

/** @throws {AppError} `value_invalid` for more media than a request may have */
export function refuseExcessMedia(
  count: number,
  { attachmentCountMax }: Pick<Settings, 'attachmentCountMax'>,
): void {
  if (count <= attachmentCountMax) return
  throw new AppError('value_invalid', `More than ${attachmentCountMax} media were sent: ${count}`, {
    details: { count, count_max: attachmentCountMax },
  })
}

function getOwn<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}

/** Tags (`null` if the payload names none) and metadata of a medium. @throws {AppError} as `refuseExcess` */
export const readMediumFields = (
  payload: MediaPayload,
  name: string,
): { tags: readonly string[] | null; metadata: Metadata } => ({
  tags: getOwn(payload['media:tags'], name) ?? null,
  metadata: refuseExcess(getOwn(payload['media:meta_data'], name) ?? {}),
})
