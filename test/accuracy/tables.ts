/** Reads the tables that say what a folder of pictures shows. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'

export interface PairRow {
  a: string
  b: string
  mated: boolean
  source: string
}

export interface PadRow {
  file: string
  bonaFide: boolean
  /** Kind of the attack, or what the bona fide sample is. */
  detail: string
}

/** Rows of a simple CSV file (no quotes) as objects; `[]` when the file is absent. */
async function readRows(file: string): Promise<Record<string, string>[]> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const [head, ...lines] = text.trim().split(/\r?\n/)
  if (!head) return []
  const names = head.split(',')
  return lines.map((line) => {
    const cells = line.split(',')
    return Object.fromEntries(names.map((name, i) => [name, cells[i] ?? '']))
  })
}

/** `pairs.csv`: image_a, image_b, same, source; paths relative to the folder. */
export async function readPairs(folder: string): Promise<PairRow[]> {
  const rows = await readRows(path.join(folder, 'pairs.csv'))
  return rows.map(({ image_a = '', image_b = '', same, source = '' }) => ({
    a: path.join(folder, image_a),
    b: path.join(folder, image_b),
    mated: same === '1',
    source,
  }))
}

/** `pad/labels.csv`: file, class (live or spoof), detail. */
export async function readPadLabels(folder: string): Promise<PadRow[]> {
  const rows = await readRows(path.join(folder, 'pad', 'labels.csv'))
  return rows.map((row) => ({
    file: path.join(folder, row.file ?? ''),
    bonaFide: row.class === 'live',
    detail: row.detail ?? '',
  }))
}
