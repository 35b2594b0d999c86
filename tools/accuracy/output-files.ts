/** Output files of a run, checked before it starts. */
import { access, constants, stat } from 'node:fs/promises'
import path from 'node:path'
import { InputError } from './input-error.ts'

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code

/** @throws {InputError} with the name of the option if the file is not writable */
export async function checkWritable(option: string, file: string): Promise<void> {
  const facts = await stat(file).catch((error) => {
    if (codeOf(error) === 'ENOENT') return null
    throw new InputError(`${option}: ${file} cannot be written (${codeOf(error)})`)
  })
  if (facts?.isDirectory()) throw new InputError(`${option}: ${file} is a folder; name a file`)
  const target = facts ? file : path.dirname(path.resolve(file))
  await access(target, constants.W_OK).catch((error) => {
    const reason = codeOf(error) === 'ENOENT' ? 'there is no such folder' : codeOf(error)
    throw new InputError(`${option}: ${file} cannot be written (${reason})`)
  })
}
