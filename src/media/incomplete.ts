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
