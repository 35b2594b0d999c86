/** The rules for new passwords. */
import { AppError } from '../errors.ts'
import { passwordBytes, passwordBytesMax } from './passwords.ts'

export interface PasswordRules {
  /** Minimum number of characters. */
  lengthMin: number
}

/** Control characters, which nobody types on purpose. */
const control = /\p{Cc}/u
/** A visible character: not a space, a control or format character, or one that is rendered as nothing. */
const visible = /[^\p{Z}\p{C}\p{DI}]/u

/**
 * Refuses a password that breaks the rules. Characters are Unicode code points of the normalised text.
 * @throws {AppError} `password_weak`, whose message describes the rules
 */
export function checkPassword(password: string, { lengthMin }: PasswordRules): void {
  const bytes = passwordBytes(password)
  const text = bytes ? password.normalize('NFKC') : ''
  const isLegible = !control.test(text) && visible.test(text)
  if (!bytes || !isLegible || [...text].length < lengthMin)
    throw new AppError(
      'password_weak',
      `A password has at least ${lengthMin} characters, at most ${passwordBytesMax} bytes, no control characters, and not blanks alone`,
    )
}
