/** Why clips of a supported kind cannot be read. */
import { AppError } from '../../errors.ts'

export const damagedClip = (cause?: unknown): AppError =>
  new AppError('media_unreadable', 'The video is damaged; send the whole file, as the camera recorded it', {
    details: { expected: 'the whole file' },
    cause,
  })

export const tooLargeToDecode = (): AppError =>
  new AppError('media_unreadable', 'The video needs too much memory; send a smaller one', {
    reason: 'too_costly',
  })
