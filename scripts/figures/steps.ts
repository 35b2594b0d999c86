/** Runs the measuring commands, one at a time. */
import { spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { thisMachine } from '../../tools/bench/machine.ts'
import { commandArguments, formatCommand, resultFile } from './commands.ts'
import type { Entry, Profile } from './figures-file.ts'
import { type FileStep, readResults } from './read-results.ts'

/** Adds date and machine to reports that lack them; they were made just now on this machine. */
async function addFacts(file: string): Promise<void> {
  const report = JSON.parse(await readFile(file, 'utf8')) as { machine?: object }
  const machine = { ...thisMachine(), ...report.machine }
  const whole = { date: new Date().toISOString(), ...report, machine }
  await writeFile(file, `${JSON.stringify(whole, null, 2)}\n`)
}

/** A high limit for busy machines: a medium over the time limit would count as not decided. */
const patience = { ASSESS_TIMEOUT: '600' }

/**
 * Runs one measurement. Its output goes to standard error.
 * @param data folder of labelled data
 * @param folder folder for the results
 */
export async function measureStep(step: FileStep, profile: Profile, data: string, folder: string) {
  const file = path.join(folder, resultFile(step, profile))
  const args = commandArguments[step].map((argument) => (argument === 'DIR' ? path.resolve(data) : argument))
  process.stderr.write(`${step}, profile ${profile}\n`)
  const child = spawn('npm', ['run', '--silent', ...args, '--json', file], {
    env: { ...process.env, ...patience, MODEL_PROFILE: profile, MODEL_ORIGIN: 'any' },
    stdio: ['ignore', process.stderr, 'inherit'],
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', resolve)
  })
  if (code !== 0) throw new Error(`${formatCommand(step)} ended with code ${code}`)
  await addFacts(file)
}

/** @throws {Error} that names the command which writes the file, if it is missing or has another schema */
export const readStep = <Step extends FileStep>(
  step: Step,
  profile: Profile,
  folder: string,
): Promise<Entry<Step>> => {
  const name = resultFile(step, profile)
  return readResults(path.join(folder, name), { step, profile, command: formatCommand(step), name })
}
