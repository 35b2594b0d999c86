/** The form of a command, and how it is run. */
import { type ParseArgsConfig, parseArgs } from 'node:util'

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

/** @throws {UsageError} for options that are not listed, or without their value */
export function readArguments<const O extends Options>(args: string[], options: O) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
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

/** Runs a command as a program of its own: `node scripts/run.mjs scripts/NAME.ts`. */
export async function runAsProgram(command: Command): Promise<void> {
  process.exitCode = await runCommand(command, process.argv.slice(2))
}
