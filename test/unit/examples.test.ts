/**
 * Runs every `@example` of the sources. An example is a fenced block in the doc comment of an export. Its imports are relative
 * to the file it stands in, and a line `expression // → value` fails where the expression has another value.
 */
import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { testDecoders } from '../fixtures/video-decoders.ts'

const root = path.resolve(import.meta.dirname, '..', '..')
const sources = path.join(root, 'src')
const written = path.join(root, 'dist', 'examples')

/** The first example with networks loads them. */
const patient = { timeout: 60_000 }
/** Clips are made by ffmpeg, and read by a decoder that need not be installed. */
const hasClips = testDecoders.some(([, decoder]) => decoder !== null)

/** What others build on. */
const required = [
  'accounts/sessions.ts Sessions',
  'analyses/registry.ts findAnalysisKind',
  'assess/pool.ts AssessorPool',
  'contract/full/analysis-views/registry.ts findAnalysisView',
  'folders/analysis-runner.ts AnalysisRunner',
  'gallery/gallery.ts Gallery',
  'gallery/template-index.ts TemplateIndex',
  'identity/session-token.ts openSessionTokens',
  'inference/engine.ts Engine',
  'media/video/video-decoder.ts VideoDecoder',
  'storage/blobs/blob-store.ts BlobStore',
  'vision/detectors/registry.ts openFaceDetector',
  'vision/landmarks.ts openLandmarkMethod',
  'vision/pad/registry.ts findPadNetwork',
  'vision/templates/registry.ts openTemplateMethod',
]

interface Example {
  /** File and export, as in `required`. */
  title: string
  /** Without the comment's stars; `null` where there is no fenced block. */
  code: string | null
  /** Line of the source that the code begins in. */
  line: number
}

const docComment = /\/\*\*(?:(?!\*\/)[\s\S])*?\*\//g
const exported = /^\s*export (?:(?:abstract|async) )*\w+ (\w+)/
const fence = /\* @example\n *\* ```ts\n([\s\S]*?) *\* ```/

function examplesIn(file: string, text: string): Example[] {
  return [...text.matchAll(docComment)]
    .filter(([comment]) => comment.includes('@example'))
    .map(({ 0: comment, index }) => {
      const name = exported.exec(text.slice(index + comment.length))?.[1] ?? 'no export'
      const code = fence.exec(comment)?.[1] ?? null
      const line = text.slice(0, index + comment.indexOf(code ?? '')).split('\n').length
      return { title: `${file} ${name}`, code: code?.replace(/^ *\* ?/gm, '') ?? null, line }
    })
}

const fileOf = ({ title }: Example): string => path.join(written, `${title.replace('.ts ', '.')}.ts`)

/** An example as a module. Its lines have the numbers of the source, so that errors name these. */
function moduleOf(example: Example): string {
  const [source = ''] = example.title.split(' ')
  const folder = path.relative(path.dirname(fileOf(example)), path.dirname(path.join(sources, source)))
  const code = example
    .code!.replace(/ from '(\..*)'/g, (_, target) => ` from '${path.posix.join(folder, target)}'`)
    .replace(/^(.*\S) \/\/ → (.*)$/gm, 'expectSame($1, $2)')
  const head = "import { deepStrictEqual } from 'node:assert/strict'; "
  const check = 'const expectSame = (value: unknown, expected: unknown) => deepStrictEqual(value, expected); '
  return `${head}${check}${'\n'.repeat(example.line - 1)}${code}`
}

const names = (await readdir(sources, { recursive: true })).filter((name) => name.endsWith('.ts')).sort()
const examples = (
  await Promise.all(
    names.map(async (name) => examplesIn(name, await readFile(path.join(sources, name), 'utf8'))),
  )
).flat()
const runnable = examples.filter(({ code }) => code !== null)

await rm(written, { recursive: true, force: true })
for (const example of runnable) {
  await mkdir(path.dirname(fileOf(example)), { recursive: true })
  await writeFile(fileOf(example), moduleOf(example))
}
await writeFile(
  path.join(written, 'tsconfig.json'),
  JSON.stringify({ extends: '../../tsconfig.json', include: ['.'], exclude: [] }),
)

/** What the compiler finds wrong; it works while the examples run. */
const errors = promisify(execFile)(process.execPath, [
  path.join(root, 'node_modules', 'typescript', 'bin', 'tsc'),
  ...['-p', written],
]).then(
  () => null,
  ({ stdout, message }: { stdout: string; message: string }) => stdout || message,
)

describe('the examples', () => {
  it('the main exports have examples', () => {
    const titles = examples.map(({ title }) => title)
    expect(required.filter((title) => !titles.includes(title))).toEqual([])
  })

  it('examples are fenced blocks, one per export', () => {
    expect(examples.filter(({ code }) => code === null).map(({ title }) => title)).toEqual([])
    expect(new Set(examples.map(({ title }) => title)).size).toBe(examples.length)
  })

  it('each example shows a result', () => {
    expect(runnable.filter(({ code }) => !code!.includes(' // → ')).map(({ title }) => title)).toEqual([])
  })

  for (const example of runnable) {
    const isMissing = !hasClips && example.title.startsWith('media/video/')
    it.skipIf(isMissing)(`${example.title} gives what it says`, patient, () => import(fileOf(example)))
  }

  it('examples compile', patient, async () => {
    expect(await errors).toBeNull()
  })
})
