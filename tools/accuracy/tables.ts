/** Reads the tables that label a folder of pictures. File names are relative to the folder. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { type CsvRow, readCsv } from './csv.ts'
import { InputError } from './input-error.ts'

export interface PairRow {
  a: string
  b: string
  mated: boolean
  source: string
  /** Group of people, such as a region; '' if the table has no such column. */
  group: string
}

export interface PadRow {
  file: string
  bonaFide: boolean
  /** PAI species, or the kind of bona fide sample. */
  detail: string
}

/** The person in a picture: its folder below `faces/`; elsewhere the folder it is in, or the picture itself. */
export function personOf(file: string): string {
  const parts = file.split('/')
  const faces = parts.indexOf('faces')
  if (faces >= 0 && parts.length > faces + 2) return parts.slice(0, faces + 2).join('/')
  return parts.length > 1 && faces < 0 ? parts.slice(0, -1).join('/') : file
}

/** @throws {InputError} for any other value */
function oneOf(table: string, { line, cells }: CsvRow, column: string, yes: string, no: string): boolean {
  const value = cells[column]
  if (value !== yes && value !== no)
    throw new InputError(`${table}, line ${line}: ${column} is "${value}"; it must be ${yes} or ${no}`)
  return value === yes
}

const relative = (file: string) => path.posix.normalize(file.replaceAll('\\', '/'))

/** The same name for both directions: "A, B" if the sides differ. */
const groupOf = (a: string, b: string) => (a === b ? a : [a, b].sort().join(', '))

/** A row of `pairs.csv`: image_a, image_b, same (1 or 0); source, group and group_b if given. */
export function pairOf(row: CsvRow): PairRow {
  const { image_a = '', image_b = '', source = '', group = '', group_b = '' } = row.cells
  if (!image_a || !image_b) throw new InputError(`pairs.csv, line ${row.line}: a picture is missing`)
  return {
    a: relative(image_a),
    b: relative(image_b),
    mated: oneOf('pairs.csv', row, 'same', '1', '0'),
    source: source || 'no source named',
    group: groupOf(group, group_b || group),
  }
}

/**
 * Reads pairs and labels of a folder: `pairs.csv`, and `pad/labels.csv` with file, class (live or spoof) and detail.
 * @throws {InputError} if neither exists, or a table is invalid
 */
export async function readTables(folder: string): Promise<{ pairs: PairRow[]; labels: PadRow[] }> {
  const facts = await stat(folder).catch(() => null)
  if (!facts?.isDirectory()) throw new InputError(`${folder} is not a folder`)
  const pairs = await readCsv(path.join(folder, 'pairs.csv'), 'pairs.csv', ['image_a', 'image_b', 'same'])
  const labels = await readCsv(path.join(folder, 'pad', 'labels.csv'), 'pad/labels.csv', ['file', 'class'])
  if (!pairs && !labels)
    throw new InputError(`${folder} contains neither pairs.csv nor pad/labels.csv; see docs/accuracy.md`)
  if (!pairs?.length && !labels?.length) throw new InputError(`the tables of ${folder} have no rows`)
  return {
    pairs: (pairs ?? []).map(pairOf),
    labels: (labels ?? []).map((row) => ({
      file: relative(row.cells.file ?? ''),
      bonaFide: oneOf('pad/labels.csv', row, 'class', 'live', 'spoof'),
      detail: row.cells.detail || 'no detail named',
    })),
  }
}
