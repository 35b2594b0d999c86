import { AppError, type ErrorCode } from '../errors.ts'

const photoErrors: readonly ErrorCode[] = [
  'value_invalid',
  'media_unreadable',
  'media_unprocessable',
  'media_unsupported',
]

/** Whether an error is the photo's: others do not have it, and need not wait. */
export const isPhotoFault = (error: unknown): error is AppError =>
  error instanceof AppError && photoErrors.includes(error.code)
