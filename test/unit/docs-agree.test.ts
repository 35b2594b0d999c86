/** README, documents and files of deployments say the same where they say it twice. */
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import deno from '../../deno.json' with { type: 'json' }
import { engines } from '../../package.json' with { type: 'json' }
import { hasLibsqlServer, libsqlProgram } from '../fixtures/libsql-server.ts'
import { dependencies as testTools } from '../runtime/package.json' with { type: 'json' }

const root = path.resolve(import.meta.dirname, '../..')
const read = (file: string) => readFile(path.join(root, file), 'utf8')

const guides = (await readdir(path.join(root, 'docs')))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`)
const documents = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...guides]
const texts = await Promise.all(documents.map(async (file) => ({ file, text: await read(file) })))
const textOf = (name: string): string => texts.find(({ file }) => file === name)!.text

/** What a pattern finds in all documents, with their names. */
const findAll = (pattern: RegExp): { file: string; found: string }[] =>
  texts.flatMap(({ file, text }) => [...text.matchAll(pattern)].map(([, found = '']) => ({ file, found })))

const valuesOf = (pattern: RegExp): string[] => [...new Set(findAll(pattern).map(({ found }) => found))]

describe('the documents agree', () => {
  it('on the oldest Node, with the package and the check at the start', async () => {
    const [, oldest = ''] = /^>=([\d.]+)$/.exec(engines.node) ?? []
    expect(valuesOf(/Node (?:≥ )?(\d+\.\d+)(?: or newer)?,? (?:or newer, )?Bun, Deno/g)).toEqual([oldest])
    expect(await read('scripts/node-version.mjs')).toContain(`[${oldest.replace('.', ', ')}]`)
  })

  it('on the command that starts the image, with the Dockerfile', async () => {
    const command = /docker run -d (.*) vivace$/gm
    const shown = [...(await read('Dockerfile')).matchAll(command)].map(([, options]) => options)
    expect(shown).toHaveLength(1)
    expect(valuesOf(command)).toEqual(shown)
  })

  it('on where Node is in the image, with its base', async () => {
    expect(await read('Dockerfile')).toMatch(/^FROM gcr\.io\/distroless\/nodejs/m)
    const programs = findAll(/docker exec (?:-it )?vivace (\S+)/g)
    expect(programs.length).toBeGreaterThan(2)
    for (const { file, found } of programs) expect([file, found]).toEqual([file, '/nodejs/bin/node'])
  })

  it('on the release of Wrangler, with the tests', () => {
    expect(valuesOf(/wrangler@([\d.]+)/g)).toEqual([testTools.wrangler])
  })

  it('on the tasks of Deno, which build the pages before they start the server', () => {
    for (const { file, found } of findAll(/deno task (\w+)/g))
      expect([file, Object.keys(deno.tasks)]).toEqual([file, expect.arrayContaining([found])])
    expect(deno.tasks.start.dependencies).toEqual(['pages'])
    expect(deno.tasks.pages).toContain('scripts/pages.ts')
  })

  it('on what each runtime needs: measured figures are in one table, and the checklist follows it', () => {
    const rows = texts.flatMap(({ file, text }) =>
      [...text.matchAll(/^\| (Node 2\d|Bun|Deno) \|.* (\d+) MB \|$/gm)].map(
        ([, runtime = '', megabytes]) => [file, runtime.split(' ')[0]!, Number(megabytes)] as const,
      ),
    )
    expect(rows.map(([file, runtime]) => `${file} ${runtime}`)).toEqual(
      ['Node', 'Bun', 'Deno'].map((runtime) => `docs/runtimes.md ${runtime}`),
    )
    const [, node, deno] =
      /^\| memory \| one worker about (\d+) MB after photos \(Deno (\d+) MB\)/m.exec(
        textOf('docs/deploy.md'),
      ) ?? []
    const promised: Record<string, number> = { Node: Number(node), Bun: Number(node), Deno: Number(deno) }
    for (const [, runtime, measured] of rows) {
      expect(promised[runtime], runtime).toBeGreaterThanOrEqual(measured)
      expect(promised[runtime], runtime).toBeLessThan(1.2 * measured)
    }
  })

  it.each([
    ['forms', 'http/submission/read-submission.ts', 'fieldsMax = 64', '64 fields'],
    ['forms', 'http/lite/read-lite.ts', 'partsMax = listMax + 64', '1064 parts'],
    ['forms', 'http/multipart.ts', 'headerBytesMax = 4 * 1024', '4 KiB of headers'],
    ['forms', 'http/multipart.ts', 'searchedMax = 2 ** 18', 'after 256 KiB'],
    ['base64', 'contract/base64.ts', 'pieceBytes = 2 ** 16', 'after 64 KiB'],
    ['JSON', 'contract/bounded-json.ts', 'jsonBytesMax = 2 ** 20', '1 MiB'],
    ['JSON', 'contract/bounded-json.ts', 'valuesMax = 10_000', '10,000 values'],
    ['JSON', 'contract/bounded-json.ts', 'depthMax = 64', '64 levels'],
    ['JSON', 'contract/metadata.ts', 'lengthMax = 256 * 1024', '256 KiB'],
    ['JSON', 'contract/metadata.ts', 'valuesMax = 4000', '4000 values'],
    ['headers', 'media/header-cursor.ts', 'new HeaderBudget(4096, 2 ** 22)', '4096 segments'],
    ['headers', 'media/header-cursor.ts', 'new HeaderBudget(4096, 2 ** 22)', '4 MiB searched'],
    ['headers', 'media/header-cursor.ts', 'new HeaderBudget(2 ** 19', '524,288 units'],
    ['secure containers', 'container/format.ts', 'headBytesMax = 2 ** 16', 'a head of 64 KiB'],
    ['secure containers', 'container/container-reader.ts', 'containersMax = 8', '8 containers'],
    ['secure containers', 'container/container-reader.ts', 'depthMax = 2', '2 of them in each other'],
    ['secure containers', 'container/content.ts', 'evidenceBytesMax = 2 ** 18', 'evidence of 256 KiB'],
    ['directories of archives', 'media/archive/archive-directory.ts', 'rowsMax = 4 * filesMax', '480 rows'],
    ['directories of archives', 'media/archive/archive-directory.ts', 'filesMax = 120', '120 files'],
    ['directories of archives', 'media/archive/archive-header.ts', 'packedHeadBytes = 256', '256 packed'],
    ['directories of archives', 'media/archive/archive-header.ts', 'headsBytesMax = 2 ** 18', '256 KiB'],
    ['frames of stored archives', 'media/archive/archived-frame.ts', 'tableBytesMax = 2 ** 20', '1 MiB'],
    ['light of a challenge', 'assess/frame-counts.ts', 'sampledMax = 100', 'at most 100 frames'],
    ['templates sent to Lite', 'http/lite/read-lite.ts', 'listMax = 1000', '1000'],
    ['reports', 'contract/full/report-bodies.ts', 'htmlLengthMax = 256 * 1024', '262,144 characters'],
    ['reports', 'reports/template.ts', 'partsMax = 5000', '5000 parts'],
    ['reports', 'reports/render-html.ts', 'writtenMax = 500_000', '500,000 written parts'],
    ['reports', 'reports/report-service.ts', 'htmlLengthMax = 24 * 2 ** 20', '25,165,824 characters'],
    ['reports', 'reports/report-service.ts', 'waitingMax = 20', '20 reports wait'],
    ['ZIPs of artifacts', 'platform/file-blobs.ts', 'chunkBytes = 64 * 1024', '64 KiB'],
    ['lists', 'contract/list/paging.ts', 'limitMax = 5000', '5000 items'],
    ['lists', 'contract/list/paging.ts', 'sortKeysMax = 10', '10 fields to sort by'],
    ['lists', 'contract/list/filters.ts', 'valuesMax = 1000', '1000 values'],
    ['lists', 'contract/list/filters.ts', 'conditionsMax = 100', '100 conditions'],
    ['lists', 'contract/list/filters.ts', 'searchesMax = 3', '3 searches'],
    ['lists', 'storage/lists/batches.ts', 'embedded: { shortMs: 2, longMs: 5,', '2 to 5 ms'],
    ['lists', 'http/reply.ts', 'wholeMax = 2 ** 20', 'beyond 1 MiB'],
    ['lists', 'http/reply.ts', 'sentAtOnce = 2 ** 16', 'pieces of 64 KiB'],
  ])('on what the event loop does for %s, with `%s`: `%s`', async (work, file, constant, says) => {
    const [, bound = ''] =
      new RegExp(`^  \\| ${work}\\b.*? \\| (.*) \\|$`, 'm').exec(await read('SECURITY.md')) ?? []
    expect(await read(`src/${file}`)).toContain(constant)
    expect(bound).toContain(says)
  })

  it('on the port', async () => {
    const ports = findAll(/http:\/\/127\.0\.0\.1:(\d+)/g).filter(
      ({ found }) => !['4318', '9000'].includes(found),
    )
    expect([...new Set(ports.map(({ found }) => found))]).toEqual(['8000'])
    expect(await read('Dockerfile')).toMatch(/PORT=8000[\s\S]*EXPOSE 8000/)
  })

  it.skipIf(!hasLibsqlServer)('on sqld: compose.yaml has the release that the tests run', async () => {
    const [, composed] = /libsql-server:v([\d.]+)/.exec(await read('compose.yaml'))!
    const { stdout } = await promisify(execFile)(libsqlProgram, ['--version'])
    expect(stdout).toContain(`sqld ${composed} `)
  })
})
