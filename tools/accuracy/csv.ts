/** Reads comma-separated tables (RFC 4180, without line breaks inside cells). */
import { readFile } from 'node:fs/promises'
import { InputError } from './input-error.ts'

export interface CsvRow {
  /** Line of the file, starting with 1. */
  line: number
  cells: Record<string, string>
}

function splitLine(line: string): string[] {
  const cells = [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)]
  return cells.map(([, quoted, plain]) => (quoted?.replaceAll('""', '"') ?? plain ?? '').trim())
}

/**
 * Parses a table.
 * @param name name of the file in error messages
 * @throws {InputError} if a required column or a cell is missing
 */
export function parseCsv(text: string, name: string, required: readonly string[]): CsvRow[] {
  const [head = '', ...lines] = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  const columns = splitLine(head)
  const missing = required.filter((column) => !columns.includes(column))
  if (missing.length > 0)
    throw new InputError(
      `${name} has no column ${missing.join(', ')}; its first line names: ${columns.join(', ')}`,
    )
  return lines.flatMap((text, i) => {
    if (text.trim() === '') return []
    const cells = splitLine(text)
    if (cells.length !== columns.length)
      throw new InputError(
        `${name}, line ${i + 2}: ${cells.length} cells where the first line names ${columns.length} columns`,
      )
    return [
      { line: i + 2, cells: Object.fromEntries(columns.map((column, at) => [column, cells[at] ?? ''])) },
    ]
  })
}

/** Reads the rows of a table; `null` if there is no such file. */
export async function readCsv(
  file: string,
  name: string,
  required: readonly string[],
): Promise<CsvRow[] | null> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw new InputError(`${name} cannot be read (${error.code})`)
  })
  return text === null ? null : parseCsv(text, name, required)
}
