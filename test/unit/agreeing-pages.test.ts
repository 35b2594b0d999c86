/** What several pages and files tell is the same in all of them: README, deploy, runtimes, and what they describe. */
import { readdir, readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
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
import { dependencies } from '../runtime/package.json' with { type: 'json' }

const read = (file: string) => readFile(new URL(`../../${file}`, import.meta.url), 'utf8')

const wrangler = await read('wrangler.toml')
const defaults = readSettings({})
const shipped = readSettings(readWranglerConfig(wrangler, '').vars)
const clips = isolateVideoLimits(videoLimits(defaults))
const megabytes = 2 ** 20

/** A fact, and where it is told: each place has at least one. */
const facts: [what: string, value: string | number, places: [file: string, told: RegExp][]][] = [
  [
    'the oldest release of Node',
    engines.node.replace('>=', ''),
    [
      ['README.md', /Node ≥ ([\d.]+\d)/g],
      ['scripts/node-version.mjs', /nodeVersionMin = \[(\d+, \d+)\]/g],
    ],
  ],
  [
    'the release of wrangler',
    dependencies.wrangler,
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

describe('pages agree', () => {
  it.each(facts)('on %s', async (_, value, places) => {
    for (const [file, told] of places) {
      const found = [...(await read(file)).matchAll(told)].map(([, one]) => one!.replace(', ', '.'))
      expect([file, [...new Set(found)]]).toEqual([file, [String(value)]])
    }
  })
})

describe('the memory of a server', () => {
  it('is told by one table, in docs/runtimes.md', async () => {
    const names = (await readdir(new URL('../../docs', import.meta.url))).filter((name) =>
      name.endsWith('.md'),
    )
    const pages = ['README.md', 'SECURITY.md', ...names.map((name) => `docs/${name}`)]
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
    const figures = await readFigures(new URL('../../', import.meta.url).pathname)
    const peaks = figures.memory!.standard!.values[runtime]!
    const [, size, unit] = memory.exec(await read(file))!
    const available = Number(size) * (unit === 'gb' ? 1024 : 1)
    for (const { oneWorkerMb, moreMb } of Object.values(peaks))
      expect(oneWorkerMb + (moreMb ?? 0) * (workers - 1)).toBeLessThan(available)
  })
})
