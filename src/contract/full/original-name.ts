/** The name of a file as its sender calls it, made safe to show and to save under. */

const charactersMax = 1024
/**
 * Control and format characters (such as those that turn the direction of a text), halves of characters, line ends. The two
 * joiners stay: Persian, Hindi and emoji are written with them.
 */
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/gu

/** Parts of a path that lead elsewhere or say where a disk begins. */
const leadsElsewhere = /^\s*(?:\.{0,2}|[a-z]:)\s*$/i

/**
 * A name, or a path that leads down from where it is saved: without roots and `..`, with slashes of one kind, without
 * characters that cannot be printed, 1024 characters at most; `null` when nothing is left. Folders stay, since clients
 * that enrol whole folders find their photos again by them.
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
