/** The documents with parts that are generated from `docs/figures.json`. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { answerParts } from './answers.ts'
import type { Figures } from './figures-file.ts'
import { writeParts } from './marked-parts.ts'
import {
  attacksTable,
  editsTable,
  identificationTable,
  matchingTable,
  padTable,
  readmeTable,
  runtimesTable,
  speedTable,
} from './tables.ts'

/** The example that the README shows; the guide shows the others. */
const readmeAnswer = 'answer-liveness'

const partsOf: Record<string, (figures: Figures) => Record<string, string>> = {
  'README.md': (figures) => {
    const { [readmeAnswer]: answer = '' } = answerParts(figures)
    return { [readmeAnswer]: answer, table: readmeTable(figures) }
  },
  'docs/check.md': (figures) => {
    const { [readmeAnswer]: _, ...answers } = answerParts(figures)
    return answers
  },
  'docs/runtimes.md': (figures) => ({ table: runtimesTable(figures) }),
  'docs/speed.md': (figures) => ({ table: speedTable(figures) }),
  'docs/matching.md': (figures) => ({ table: matchingTable(figures) }),
  'models/cards/pad-fusion.md': (figures) => ({ table: padTable(figures), edits: editsTable(figures) }),
  'docs/liveness.md': (figures) => ({ attacks: attacksTable(figures) }),
  'docs/identification.md': (figures) => ({ table: identificationTable(figures) }),
}

/**
 * The documents with current figures, by path below `root`.
 * @throws {Error} if a document lacks marks, or the figures lack values that it shows
 */
export async function figureDocuments(root: string, figures: Figures): Promise<Record<string, string>> {
  const documents = Object.entries(partsOf).map(async ([document, parts]) => {
    const text = await readFile(path.join(root, document), 'utf8')
    return [document, writeParts(document, text, parts(figures))] as const
  })
  return Object.fromEntries(await Promise.all(documents))
}
