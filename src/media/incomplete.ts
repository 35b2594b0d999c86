import { AppError } from '../errors.ts'

/** For files without all data of their picture. @param format as it is written, such as `JPEG` */
export const incomplete = (format: string): AppError =>
  new AppError(
    'media_unreadable',
    `The ${format} is incomplete: it was cut off or damaged on the way. Send the whole file`,
    {
      details: { expected: 'the whole file' },
    },
  )

/** For files that no decoder can read. @param format as it is written, such as `JPEG` */
export const damaged = (format: string, cause?: unknown): AppError =>
  new AppError(
    'media_unreadable',
    `The ${format} cannot be decoded: it is damaged. Send another copy`,
    cause === undefined ? {} : { cause },
  )
