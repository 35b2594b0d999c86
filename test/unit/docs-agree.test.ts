/** README, documents and files of deployments say the same where they say it twice. */
import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import deno from '../../deno.json' with { type: 'json' }
import { engines } from '../../package.json' with { type: 'json' }
import { readFigures } from '../../scripts/figures/figures-file.ts'
import { readWranglerConfig } from '../../scripts/workers/deployment.ts'
import {
  archiveMemory,
  imageLimits,
  isolateVideoLimits,
  searchBytesMax,
} from '../../src/platform/isolate-memory.ts'
import { readSettings, videoLimits } from '../../src/settings.ts'
import { hasLibsqlServer, libsqlProgram } from '../fixtures/libsql-server.ts'
import { dependencies as testTools } from '../runtime/package.json' with { type: 'json' }

const root = path.resolve(import.meta.dirname, '../..')
const read = (file: string) => readFile(path.join(root, file), 'utf8')

const guides = (await readdir(path.join(root, 'docs')))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`)
const documents = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...guides]
const texts = await Promise.all(documents.map(async (file) => ({ file, text: await read(file) })))
/** What a pattern finds in all documents, with their names. */
const findAll = (pattern: RegExp): { file: string; found: string }[] =>
  texts.flatMap(({ file, text }) => [...text.matchAll(pattern)].map(([, found = '']) => ({ file, found })))

const valuesOf = (pattern: RegExp): string[] => [...new Set(findAll(pattern).map(({ found }) => found))]

const wrangler = await read('wrangler.toml')
const defaults = readSettings({})
const shipped = readSettings(readWranglerConfig(wrangler, '').vars)
const clips = isolateVideoLimits(videoLimits(defaults))
const megabytes = 2 ** 20

/** A fact, and where it is told: each place has at least one. */
const facts: [what: string, value: string | number, places: [file: string, told: RegExp][]][] = [
  [
    'the release of wrangler',
    testTools.wrangler,
    [
      'docs/runtimes.md',
      'wrangler.toml',
      'scripts/workers/deployment.ts',
      'scripts/workers/deploy-command.ts',
    ].map((file) => [file, /wrangler@([\d.]+\d)/g]),
  ],
  [
    'the largest photo of servers, in megapixels',
    defaults.imageMegapixelsMax,
    [
      ['docs/runtimes.md', /^\| largest photo, as shipped \| (\d+) megapixels/gm],
      ['docs/limits.md', /^\| a picture \| (\d+) megapixels/gm],
    ],
  ],
  [
    'the largest photo of Workers as shipped',
    shipped.imageMegapixelsMax,
    [
      ['docs/runtimes.md', /JPEG: (\d+) megapixels/g],
      ['docs/limits.md', /on Workers (\d+) \(/g],
      ['wrangler.toml', /^SVC_IMAGE_MEGAPIXELS_MAX = "(\d+)"$/gm],
    ],
  ],
  [
    'other photos of Workers',
    imageLimits.wholeJpegPixelsMax / 1e6,
    [['docs/runtimes.md', /rare kinds: ([\d.]+)\)/g]],
  ],
  ['PNG and WebP', imageLimits.wholePixelsMax / 1e6, [['docs/runtimes.md', /PNG and WebP: ([\d.]+);/g]]],
  [
    'JPEG in 4:4:4',
    6.6,
    [
      ['docs/runtimes.md', /4:4:4: ([\d.]+);/g],
      ['src/platform/isolate-memory.ts', /and ([\d.]+) in 4:4:4/g],
    ],
  ],
  [
    'bodies on Workers as shipped',
    shipped.attachmentMegabytesMax,
    [
      ['docs/limits.md', /2\^20 bytes\); on Workers as shipped (\d+) \|/g],
      ['wrangler.toml', /^SVC_ATTACHMENT_MAX_SIZE = "(\d+)"$/gm],
    ],
  ],
  [
    'frames of archives on Workers',
    archiveMemory.framePixelsMax / 1e6,
    [['docs/runtimes.md', /^\| archives .* pictures of ([\d.]+) megapixels/gm]],
  ],
  [
    'archives on Workers, in MiB',
    archiveMemory.unpackedBytesMax / megabytes,
    [['docs/runtimes.md', /(\d+) MiB unpacked/g]],
  ],
  [
    'clips on Workers',
    clips.pixelsMax / 1e6,
    [['docs/runtimes.md', /^\| clips .* pictures of ([\d.]+) megapixels/gm]],
  ],
  [
    'all pictures of a clip on Workers, in millions',
    clips.pixelsInAllMax! / 1e6,
    [['docs/runtimes.md', /at most (\d+) million pixels in all/g]],
  ],
  [
    'search indexes on Workers',
    searchBytesMax / megabytes,
    [['docs/runtimes.md', /(\d+) MB; larger collections/g]],
  ],
  [
    'search indexes of servers, at least',
    512,
    [
      ['src/platform/servers.ts', /searchBytesMin = (\d+) \* 2 \*\* 20/g],
      ...['docs/runtimes.md', 'docs/deploy.md', 'docs/limits.md'].map((file): [string, RegExp] => [
        file,
        /a quarter of the memory, at least (\d+) MB/g,
      ]),
    ],
  ],
  [
    'processor time of a call on Workers, in minutes',
    Number(/^cpu_ms = (\d+)_000$/m.exec(wrangler)![1]) / 60,
    [['docs/runtimes.md', /gives each call (\d+) minutes/g]],
  ],
  [
    'seconds of work of a call on Workers',
    15,
    [
      ['docs/runtimes.md', /runs what is due for (\d+) s/g],
      ['src/entry/worker.ts', /drainMaxMs = (\d+)_000/g],
    ],
  ],
  ['seconds to end', defaults.shutdownMaxS, [['docs/deploy.md', /`SHUTDOWN_TIMEOUT` \((\d+) s\)/g]]],
]

describe('the documents agree', () => {
  it.each(facts)('on %s', async (_, value, places) => {
    for (const [file, told] of places) {
      const found = [...(await read(file)).matchAll(told)].map(([, one]) => one!.replace(', ', '.'))
      expect([file, [...new Set(found)]]).toEqual([file, [String(value)]])
    }
  })

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

  it('on the tasks of Deno, which build the pages before they start the server', () => {
    for (const { file, found } of findAll(/deno task (\w+)/g))
      expect([file, Object.keys(deno.tasks)]).toEqual([file, expect.arrayContaining([found])])
    expect(deno.tasks.start.dependencies).toEqual(['pages'])
    expect(deno.tasks.pages).toContain('scripts/pages.ts')
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
      ({ found }) => !['4318', '9000', '9090'].includes(found),
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

describe('the memory of a server', () => {
  it('is told by one table, in docs/runtimes.md', async () => {
    const pages = ['README.md', 'SECURITY.md', ...guides]
    const told = await Promise.all(
      pages.map(async (page) => {
        const text = (await read(page)).replaceAll(/<!-- figures:[\s\S]*?<!-- \/figures -->/g, '')
        const sentences = text.split(/[.;|]\s|\n/)
        return sentences
          .filter((sentence) => /\b(?:worker|process)\b/.test(sentence) && /\d MB\b/.test(sentence))
          .map((sentence) => `${page}: ${sentence.trim()}`)
      }),
    )
    expect(told.flat()).toEqual([
      'docs/deploy.md: 100 MB more for each worker that reads documents',
      'docs/reports.md: Reports are made one at a time in each process (40 MB of memory meanwhile)',
    ])
  })

  /** Megabytes of deployments, the runtime that needs them, and the number of its workers. */
  const deployments: [file: string, memory: RegExp, runtime: string, workers: number][] = [
    ['docs/runtimes.md', /at least (\d+) (MB) of memory/, 'deno', 1],
    ['deploy/kubernetes/vivace.yaml', /limits: \{ memory: (\d+)(Mi) \}/, 'node', 2],
    ['deploy/fly.toml', /^memory = "(\d+)(gb)"$/m, 'node', 2],
  ]

  it.each(deployments)('fits into that of %s', async (file, memory, runtime, workers) => {
    const figures = await readFigures(root)
    const peaks = figures.memory!.standard!.values[runtime]!
    const [, size, unit] = memory.exec(await read(file))!
    const available = Number(size) * (unit === 'gb' ? 1024 : 1)
    for (const { oneWorkerMb, moreMb } of Object.values(peaks))
      expect(oneWorkerMb + (moreMb ?? 0) * (workers - 1)).toBeLessThan(available)
  })
})
