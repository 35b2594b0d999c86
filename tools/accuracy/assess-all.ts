/** Assesses the pictures of a folder. */

import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Assessment } from '../../src/assess/assessment.ts'
import { AppError } from '../../src/errors.ts'
import { openMedium } from '../../src/media/opened-medium.ts'
import type { Platform } from '../../src/platform/platform.ts'

interface Assessed {
  assessments: Map<string, Assessment>
  /** Pictures that could not be read or decoded, with reasons. */
  refused: Map<string, string>
}

/** @returns why a picture was refused; other errors are bugs and rethrown */
function reasonOf(error: unknown): string {
  if (error instanceof AppError && error.code.startsWith('media_')) return error.message
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'ENOENT') return 'There is no such file'
  if (code === 'EISDIR' || code === 'EACCES') return `The file cannot be read (${code})`
  throw error
}

/**
 * Uses all cores; prints progress to standard error.
 * @param files relative to the folder
 * @param thumbnail whether to make small pictures of them
 */
export async function assessAll(
  folder: string,
  files: readonly string[],
  platform: Platform,
  thumbnail = false,
): Promise<Assessed> {
  const assessments: Assessed['assessments'] = new Map()
  const refused: Assessed['refused'] = new Map()
  const rest = [...files]
  const wanted = { faces: true, template: true, pad: true, bestShot: false, thumbnail }
  const work = async () => {
    for (let file = rest.pop(); file !== undefined; file = rest.pop()) {
      try {
        const bytes = new Uint8Array(await readFile(path.resolve(folder, file)))
        assessments.set(file, await platform.assessor.assess(openMedium(bytes), wanted))
      } catch (error) {
        refused.set(file, reasonOf(error))
      }
      process.stderr.write(`\r${assessments.size + refused.size} of ${files.length} pictures `)
    }
  }
  await Promise.all(Array.from({ length: platform.assessor.health().workers }, work))
  process.stderr.write('\n')
  return { assessments, refused }
}
