/** Tells the media of a form from its fields. */
import { AppError } from '../../errors.ts'
import type { Part } from '../multipart.ts'

export const payloadName = 'payload'

/** What to send where a medium is meant. */
export const mediumExpected =
  'a file: a part with a file name or the type of a file, as of curl -F photo=@selfie.jpg'

const startBytes = 512
const isControl = (byte: number): boolean => byte < 0x09 || (byte > 0x0d && byte < 0x20)

/** Whether bytes begin as text does: with UTF-8 and without control characters. */
function beginsAsText(bytes: Uint8Array): boolean {
  const start = bytes.subarray(0, startBytes)
  if (start.some(isControl)) return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(start, { stream: true })
    return true
  } catch {
    return false
  }
}

/** A part with a file name, with a type other than text, or with other bytes than text is a medium; other form fields are ignored. */
export const isMedium = ({ name, filename, contentType, bytes }: Part): boolean =>
  name !== payloadName &&
  (filename !== null || (contentType !== null && !contentType.startsWith('text/')) || !beginsAsText(bytes))

export const noMedia = (): AppError =>
  new AppError('value_invalid', 'No media were sent', { details: { expected: mediumExpected } })
