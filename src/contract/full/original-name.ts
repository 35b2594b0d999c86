/** Sanitises file names from callers, so that they are safe to display and to save files under. */

const charactersMax = 1024
/**
 * Control and format characters (such as those that change the direction of text), lone surrogates, line separators. The
 * two joiners are kept: Persian, Hindi and emoji need them.
 */
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/gu

/** Path segments that lead out of the folder or name a drive. */
const leadsElsewhere = /^\s*(?:\.{0,2}|[a-z]:)\s*$/i

/**
 * Returns a file name or relative path without roots, `..` and unprintable characters, with `/` as separator and at most
 * 1024 characters; `null` if nothing is left. Folders are kept, since clients that enrol whole folders identify their
 * photos by them.
 * @example
 * ```ts
 * import { safeName } from './original-name.ts'
 *
 * safeName('../../etc/passwd') // → 'etc/passwd'
 * safeName('..') // → null
 * ```
 */
export function safeName(sent: string | null): string | null {
  const parts = (sent ?? '').replace(unprintable, '').split(/[/\\]/)
  const name = parts.filter((part) => !leadsElsewhere.test(part)).join('/')
  return name === '' ? null : [...name].slice(0, charactersMax).join('')
}
