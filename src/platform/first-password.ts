/** Shows a generated password to the operator of the server, without logging it. */
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { AppError } from '../errors.ts'
import type { GeneratedPassword } from './platform.ts'
import { makeFolder } from './private-file.ts'
import { writeSynced } from './whole-file.ts'

interface HandOverOptions {
  dataDir: string
  /** Whether the output goes to a terminal. The output of a container or a service goes to a log. */
  isTerminal: boolean
  write(line: string): void
  /** Whose password it is; default: `First administrator`. */
  title?: string
  /** What to do where the file cannot be written, besides making the folder writable; default: `set SVC_ADMIN_PASSWORD`. */
  otherwise?: string
}

const fileName = 'first-administrator-password'

/** Writes a file that only the server's user can read. An existing file is replaced, its mode included. */
async function writePrivate(file: string, text: string, otherwise: string): Promise<void> {
  try {
    await makeFolder(path.dirname(file), 0o700)
    await rm(file, { force: true })
    await writeSynced(file, text, { mode: 0o600 })
  } catch (cause) {
    const message = `The password cannot be written to ${file}: make DATA_DIR writable, or ${otherwise}`
    throw new AppError('value_invalid', message, { cause })
  }
}

/**
 * Prints the password on a terminal; elsewhere writes it to `DATA_DIR/first-administrator-password`, mode 0600, and prints where.
 * @throws {AppError} `value_invalid` if the file cannot be written
 */
export async function deliverPassword(
  { email, password }: GeneratedPassword,
  {
    dataDir,
    isTerminal,
    write,
    title = 'First administrator',
    otherwise = 'set SVC_ADMIN_PASSWORD',
  }: HandOverOptions,
): Promise<void> {
  if (isTerminal) return write(`${title}: ${email}, password ${password}`)
  const file = path.resolve(dataDir, fileName)
  await writePrivate(file, `${password}\n`, otherwise)
  write(`${title}: ${email}; the password is in ${file}. Remove the file when you have read it.`)
}
