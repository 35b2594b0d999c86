/** Every line of the contract that demands something has a row in one of the tables, or a reason why it has none. */
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'

/** The lines with text, from the contract's documents: F is the full service, L the lite service. */
const written = {
  F: '3 7-11 13 15-16 18-21 25 29 31-43 47 49-56 58 62 64-76 78 80 82 84 88 90-97 99 103 107 111 115 117 119-122 126 130 132-140 144 146-153 155 157 159-168 170 172-177 181 183-187 189 193 195-201 203 207-217 221-224 228 230-235 237 239 241-245 247 251 253-257 259 261 263 267-268 270 272-279 281-300',
  L: '3 7-10 14 16-22 24 28 34-36 40 42-52 56-58 62 66 70 72 74-83 87 91-95',
}

const headings = {
  'introduces the document': 'F3 L3 L8 L9 L95',
  'is the head of a table, or introduces one':
    'F11 F13 F29 F47 F62 F119 F130 F144 F157 F172 F181 F193 F228 F237 F239 F251 F268 F270 F281 L14 L40 L72',
  'says that something is not shown': 'F84 F117 F203 F223 F224 F261 F263 L24 L62 L66 L87',
}

/** Demands that other tests prove: the file, and the title or a row. */
const elsewhere: Readonly<Record<string, readonly [string, string]>> = {
  L34: ['test/http/lite.test.ts', 'compare refuses a body that is not multipart'],
  L82: ['test/http/server.test.ts', 'a full queue answers 503 with Retry-After, and recovers'],
  L83: ['test/unit/contract/wire.test.ts', "['engine_unavailable', 400, 'BPE-001002']"],
}

const expand = (ranges: string): number[] =>
  ranges.split(' ').flatMap((range) => {
    const [from, to = from] = range.split('-').map(Number)
    return Array.from({ length: to! - from! + 1 }, (_, i) => from! + i)
  })

const lineForm = '[FL]\\d+[a-z]?(?:[–-][FL]?\\d+)?'
/** The lines of a row, such as `F35, F282` or `F49–F54`, as texts of a test or in its title. */
const rowForm = new RegExp(`['"\`](${lineForm}(?:, (?:${lineForm}|\\$\\{))*)`, 'g')

/** The lines that the tables name. */
async function linesWithRow(): Promise<Set<string>> {
  const found = new Set<string>()
  const files = await readdir(import.meta.dirname)
  for (const file of files.filter((name) => name !== path.basename(import.meta.filename))) {
    const text = await readFile(path.join(import.meta.dirname, file), 'utf8')
    for (const [, row] of text.matchAll(rowForm))
      for (const [, document, from, to] of row!.matchAll(/([FL])(\d+)[a-z]?(?:[–-][FL]?(\d+))?/g))
        for (const line of expand(`${from}-${to ?? from}`)) found.add(document! + line)
  }
  return found
}

describe('the lines of the contract', () => {
  const lines = (['F', 'L'] as const).flatMap((document) =>
    expand(written[document]).map((line) => document + line),
  )
  const excused = new Set([
    ...Object.values(headings).flatMap((text) => text.split(' ')),
    ...Object.keys(elsewhere),
  ])

  it('each has a row or a reason', async () => {
    const rows = await linesWithRow()
    expect(rows.size).toBeGreaterThan(200)
    expect(lines.filter((line) => !rows.has(line) && !excused.has(line))).toEqual([])
  })

  it('a reason is of a line without a row', async () => {
    const rows = await linesWithRow()
    expect([...excused].filter((line) => rows.has(line) || !lines.includes(line))).toEqual([])
  })

  it.each(Object.entries(elsewhere))('%s is proven elsewhere', async (_, [file, title]) => {
    expect(await readFile(file, 'utf8')).toContain(title)
  })
})
