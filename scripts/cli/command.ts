/** The form of a command, and how it is run. */
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { suggestName } from '../../src/contract/unknown-name.ts'

/** Exit codes of all commands; documented in docs/operate.md. */
export const exitCodes = {
  done: 0,
  /** The message says why, and what to do. */
  failed: 1,
  /** Done, but something was refused: a photo, a person, a check. */
  refused: 2,
  /** `check`: an operator must decide, or the analysis failed. */
  undecided: 3,
  usage: 64,
} as const

export interface Command {
  name: string
  /** One line for the list of commands. */
  summary: string
  /** What `--help` prints. */
  usage: string
  /** @returns an exit code */
  run(args: string[]): Promise<number>
}

/** The command was called wrongly; `--help` shows how to call it. */
export class UsageError extends Error {}

type Options = NonNullable<ParseArgsConfig['options']>

/** What is wrong with a name that is not in a list, and which one was probably meant. */
export function describeUnknown(kind: string, name: string, known: readonly string[], prefix = ''): string {
  const meant = suggestName(name, known)
  return `There is no ${kind} ${prefix}${name}${meant === null ? '' : `; did you mean ${prefix}${meant}?`}`
}

/** The runtimes differ in their words for wrong options. */
function describeArguments(error: unknown, options: Options): string {
  const text = error instanceof Error ? error.message : String(error)
  const unknown = /^Unknown option '--?([^']*)'/.exec(text)?.[1]
  return unknown === undefined ? text : describeUnknown('option', unknown, Object.keys(options), '--')
}

/** @throws {UsageError} for options that are not listed, or without their value */
export function readArguments<const O extends Options>(args: string[], options: O) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true })
  } catch (error) {
    throw new UsageError(describeArguments(error, options))
  }
}

/** @throws {UsageError} if there are arguments besides the options */
export function readOptions<const O extends Options>(args: string[], options: O) {
  const { values, positionals } = readArguments(args, options)
  if (positionals.length > 0) throw new UsageError(`There is no argument here: ${positionals[0]}`)
  return values
}

/**
 * Reads the value of an option that is a whole number.
 * @param option its name, without dashes
 * @throws {UsageError} for anything else
 */
export function readCount(
  option: string,
  text: string,
  { min = 1, max = Number.MAX_SAFE_INTEGER } = {},
): number {
  const count = Number(text)
  if (/^\d+$/.test(text) && count >= min && count <= max) return count
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
  throw new UsageError(`--${option} must be a whole number ${range}`)
}

export const say = (line: string): void => void process.stdout.write(`${line}\n`)
export const complain = (line: string): void => void process.stderr.write(`${line}\n`)

/** Runs a command with its arguments, or shows its help. Errors become one line, and an exit code. */
export async function runCommand(command: Command, args: string[]): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    say(command.usage.trimEnd())
    return exitCodes.done
  }
  try {
    return await command.run(args)
  } catch (error) {
    const isUsage = error instanceof UsageError
    complain(error instanceof Error ? error.message : String(error))
    if (isUsage) complain(`\n${command.usage.trimEnd()}`)
    return isUsage ? exitCodes.usage : exitCodes.failed
  }
}

/**
 * Runs a command as a program of its own: `node scripts/run.mjs scripts/NAME.ts`. One that failed ends at once, as it may have left
 * workers open.
 */
export async function runAsProgram(command: Command): Promise<void> {
  process.exitCode = await runCommand(command, process.argv.slice(2))
  if (process.exitCode !== exitCodes.done) process.exit()
}
