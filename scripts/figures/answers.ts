/** The example answers of the documents: runs their commands against a server. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { startServer } from '../../test/fixtures/server.ts'
import { type Entry, type Figures, type Profile, profiles } from './figures-file.ts'
import { markedParts } from './marked-parts.ts'

/** The documents with examples. */
const documents = ['README.md', 'docs/check.md']

/** The address in the examples. */
const address = 'http://127.0.0.1:8000'
const prefix = 'answer-'

interface Example {
  /** Name of the marked part. */
  name: string
  command: string
  /** The answer as the document shows it, often shortened. */
  shown: unknown
}

const parseJsonIn = (part: string): unknown => JSON.parse(/```json\n([\s\S]+)```/.exec(part)?.[1] ?? 'null')

/** The marked answers of a document, each with the command above it. */
function listExamples(document: string, text: string): Example[] {
  return [...markedParts(text)]
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, part]) => {
      const above = text.slice(0, text.indexOf(`<!-- figures:${name} -->`))
      const command = [...above.matchAll(/```sh\n(curl .+)\n```/g)].at(-1)?.[1]
      if (!command) throw new Error(`${document}: there is no command above "figures:${name}"`)
      return { name, command, shown: parseJsonIn(part) }
    })
}

/** The examples of all documents. */
export async function readExamples(root: string): Promise<Example[]> {
  const listed = documents.map(async (document) =>
    listExamples(document, await readFile(path.join(root, document), 'utf8')),
  )
  return (await Promise.all(listed)).flat()
}

/** Reduces an answer to the members that an example shows. */
export function pickShown(answer: unknown, example: unknown): unknown {
  if (Array.isArray(example)) return example.map((item, i) => pickShown((answer as unknown[])[i], item))
  if (example === null || typeof example !== 'object') return answer
  return Object.fromEntries(
    Object.entries(example).map(([key, item]) => {
      const value = (answer as Record<string, unknown> | undefined)?.[key]
      if (value === undefined) throw new Error(`the answer has no "${key}", which the example shows`)
      return [key, pickShown(value, item)]
    }),
  )
}

/** Runs the command of an example against a server at another address, and returns the answer. */
export async function runExample(command: string, url: string, root: string): Promise<unknown> {
  const adapted = `${command.replace(address, url)} --silent --show-error`
  const { stdout } = await promisify(execFile)('sh', ['-c', adapted], { cwd: root, maxBuffer: 2 ** 26 })
  return JSON.parse(stdout)
}

/** Starts a server and runs all examples. */
export async function measureAnswers(profile: Profile, root: string): Promise<Entry<'answers'>['values']> {
  const server = await startServer(
    { MODEL_PROFILE: profile, SVC_AUTHORIZE_DISABLED_STATELESS: 'true', ASSESS_WORKERS: '1' },
    'node',
  )
  try {
    const answers: Record<string, unknown> = {}
    for (const { name, command, shown } of await readExamples(root))
      answers[name] = pickShown(await runExample(command, server.url, root), shown)
    return answers
  } finally {
    await server.stop()
  }
}

const lineMax = 100

/** Formats JSON on one line if it has only plain values and fits, else with one member per line. */
function formatJson(value: unknown, indent = ''): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const isList = Array.isArray(value)
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  const inner = `${indent}  `
  const members = Object.entries(value).map(
    ([key, item]) => `${isList ? '' : `${JSON.stringify(key)}: `}${formatJson(item, inner)}`,
  )
  const isPlain = Object.values(value).every((item) => item === null || typeof item !== 'object')
  const line = `${open}${members.join(', ')}${close}`
  if (isPlain && indent.length + line.length <= lineMax) return line
  return `${open}\n${members.map((member) => inner + member).join(',\n')}\n${indent}${close}`
}

/** The plain values of an answer, in order. */
export const listLeaves = (value: unknown): unknown[] =>
  value !== null && typeof value === 'object' ? Object.values(value).flatMap(listLeaves) : [value]

const formatShort = (value: unknown): string =>
  typeof value === 'number' ? value.toFixed(4) : JSON.stringify(value)

/** Describes in one sentence how the answers of the other profile differ. */
function describeDifference(standard: unknown, embedded: unknown): string {
  const others = listLeaves(embedded)
  const pairs = listLeaves(standard).map((value, i) => [value, others[i]] as const)
  const differences = pairs.filter(([ours, theirs]) => formatShort(ours) !== formatShort(theirs))
  const intro = 'These are the answers of profile `standard`.'
  if (differences.length === 0) return `${intro} Those of \`embedded\` are the same.`
  const texts = new Set(
    differences.map(([ours, theirs]) => `${formatShort(theirs)} instead of ${formatShort(ours)}`),
  )
  const areScores = differences.every(([ours]) => typeof ours === 'number')
  const what = areScores ? 'only the scores differ' : 'they differ'
  return `${intro} With \`embedded\` ${what}: ${[...texts].join(', ')}.`
}

/** The marked parts that show answers. @throws {Error} if a profile has none */
export function answerParts({ answers }: Figures): Record<string, string> {
  const [standard, embedded] = profiles.map((profile) => answers?.[profile]?.values)
  if (!standard || !embedded)
    throw new Error('docs/figures.json lacks the answers of a profile; write them with: npm run figures')
  const parts = Object.entries(standard).map(([name, answer]) => [
    name,
    `\`\`\`json\n${formatJson(answer)}\n\`\`\``,
  ])
  return { ...Object.fromEntries(parts), 'answers-embedded': describeDifference(standard, embedded) }
}
