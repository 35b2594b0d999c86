/** The pages of `docs/` that are written from tables of the code. */
import { readFile } from 'node:fs/promises'
import type { Manifest } from '../src/inference/manifest.ts'
import { variables } from '../src/settings.ts'
import { apiPage } from './api-page.ts'
import { cell, table } from './markdown.ts'

const settingsIntro = `# Settings

Written by \`npm run docs\` from \`src/settings.ts\`; edit there.

All settings are environment variables, read once at start (on Workers: \`[vars]\` and secrets). A value that is not
allowed stops the start with one message that names the variable and what it may be. Variables that begin with \`SVC_\`
are also read under their former prefix \`OZ_\`. An empty value counts as absent.`

function settingsPage(): string {
  const rows = Object.values(variables).map(({ name, standard, allowed, description }) => [
    `\`${name}\``,
    standard === '' ? '' : `\`${standard}\``,
    cell(allowed),
    cell(description),
  ])
  return `${settingsIntro}\n\n${table(['variable', 'default', 'allowed', 'meaning'], rows)}\n`
}

const licencesIntro = `# Licences of what Vivace uses

Written by \`npm run docs\` from \`models/manifest.json\` and \`package-lock.json\`; edit there. Vivace itself is Apache-2.0.
No file of others is part of this repository: packages come from the registry, weights from packages or from the
addresses in the manifest, each checked by sha256.`

interface LockEntry {
  /** The package that lies there, where it is another one than the folder says. */
  name?: string
  version: string
  license?: string
  dev?: boolean
  devOptional?: boolean
  optional?: boolean
}

/** Rows without those that stand there already. */
const distinct = (rows: readonly string[][]): string[][] =>
  rows.filter((row, i) => rows.findIndex((other) => other.join() === row.join()) === i)

function licencesPage(manifest: Manifest, lock: { packages: Record<string, LockEntry> }): string {
  const weights = manifest.models.map(({ id, name, task, licence, attribution, card }) => [
    `[${id}](../models/${card})`,
    name,
    task,
    licence,
    cell(attribution),
  ])
  const coreVersion = lock.packages['node_modules/@ffmpeg/core']?.version ?? ''
  const packages = Object.entries(lock.packages)
    .filter(([place, { dev, devOptional, optional }]) => place && !dev && !devOptional && !optional)
    .map(([place, { name, version, license }]) => [
      name ?? place.replace(/^.*node_modules\//, ''),
      version,
      license ?? 'none',
    ])
  return `${licencesIntro}

## Weights

${table(['file', 'network', 'task', 'licence', 'by'], weights)}

## Data that numbers were made from

| numbers | made from | licence |
| --- | --- | --- |
| [cohort-2, cohort-3](../models/cards/cohorts.md): means of the templates of two people each | FairFace (Kimmo Kärkkäinen, Jungseock Joo, 2021), training part | [CC BY 4.0](https://creativecommons.org/licenses/by/4.0/) |
| | photographs of public repositories | MIT, BSD, Apache-2.0 |
| [recapture-1](../models/cards/recapture-1.md) | the same photographs, printed and replayed by simulation | MIT, BSD, Apache-2.0 |

## Decoders of clips

| what | licence | how it is used |
| --- | --- | --- |
| @ffmpeg/core ${coreVersion} | GPL-2.0-or-later | optional package, a file of its own that is loaded where it is installed and our own decoder is not built; \`npm ci --omit=optional\` leaves it out |
| \`wasm/video/built/video.wasm\` | LGPL-2.1-or-later | FFmpeg without GPL parts, built from the distribution's sources by \`wasm/video/build.sh\`; a file of its own, not part of this repository |

## Packages that \`npm ci --omit=dev\` installs

${table(['package', 'version', 'licence'], distinct(packages))}

\`noop2\` is empty: npm's \`overrides\` put it where \`faceplugin-face-recognition-js\` asks for its build tools, of which nothing
is used; of that package nothing but two weight files is read.

esbuild and its builds for one platform each (MIT) bundle the sources at start on Node. Development adds
@biomejs/biome, vitest, drizzle-kit, standardwebhooks with @stablelib/base64, @types/node (MIT), fast-sha256 (Unlicense), typescript, assemblyscript and its binaryen (Apache-2.0). \`test/bench\` and \`test/runtime\` have packages of their own: the
peers that are measured and the runtimes that are tested; no user installs them.
`
}

/** The pages by file name below `docs/`; read from the repository at `root`. */
export async function docsPages(root: string): Promise<Record<string, string>> {
  const readJson = async (file: string) => JSON.parse(await readFile(`${root}/${file}`, 'utf8'))
  return {
    'api.md': await apiPage(),
    'settings.md': settingsPage(),
    'licences.md': licencesPage(await readJson('models/manifest.json'), await readJson('package-lock.json')),
  }
}
