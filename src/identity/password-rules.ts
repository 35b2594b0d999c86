/** The rules for new passwords. */
import { AppError } from '../errors.ts'
import { passwordBytes, passwordBytesMax } from './passwords.ts'

export interface PasswordRules {
  /** Minimum number of characters. */
  lengthMin: number
  /** Minimum number of the four kinds of characters. */
  kindsMin: number
}

/** Control characters, which nobody types on purpose. */
const control = /\p{Cc}/u
/** A visible character: not a space, a control or format character, or one that is rendered as nothing. */
const visible = /[^\p{Z}\p{C}\p{DI}]/u

const kinds = [/\p{Ll}/u, /\p{Lu}/u, /\p{Nd}/u, /[^\p{Ll}\p{Lu}\p{Nd}]/u]

function describeRules({ lengthMin, kindsMin }: PasswordRules): string {
  const length = `A password has at least ${lengthMin} characters, at most ${passwordBytesMax} bytes, no control characters, and not blanks alone`
  if (kindsMin <= 1) return length
  const names = 'lower-case letters, upper-case letters, digits, other characters'
  return `${length}, and mixes ${kindsMin} of the kinds: ${names}`
}

/**
 * Refuses a password that breaks the rules. Characters are Unicode code points of the normalised text.
 * @throws {AppError} `password_weak`, whose message describes the rules
 */
export function checkPassword(password: string, rules: PasswordRules): void {
  const bytes = passwordBytes(password)
  const text = bytes ? password.normalize('NFKC') : ''
  const mixed = kinds.filter((kind) => kind.test(text)).length
  const isLegible = !control.test(text) && visible.test(text)
  if (!bytes || !isLegible || [...text].length < rules.lengthMin || mixed < rules.kindsMin) {
    throw new AppError('password_weak', describeRules(rules))
  }
}
