/** `npm run build`: writes the static assets of a Workers deployment. */
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import type { ChosenProfile, Manifest } from '../src/inference/manifest.ts'
import { ownKinds } from '../src/media/video/own/own-kinds.ts'
import { storeBrowserFiles } from '../src/platform/browser-files.ts'
import { readReportFonts } from '../src/platform/pdf-tools.ts'
import { readBrowserFiles } from '../src/platform/server-browser-files.ts'
import { builtModelsFolder, modelsFolder, openModels } from '../src/platform/server-models.ts'
import { findVideo } from '../src/platform/server-video.ts'
import { draftName, writeWhole } from '../src/platform/whole-file.ts'
import { readSettings, type Settings } from '../src/settings.ts'
import { type Command, exitCodes, readOptions, say } from './cli/command.ts'
import { keepPages } from './pages/kept-pages.ts'

/** The network that reads machine-readable zones; an isolate opens it with the first document. */
async function readMrz(
  settings: Settings,
  manifest: Manifest,
  { documents }: ChosenProfile,
): Promise<[string, Uint8Array][]> {
  const entry = documents.find(({ id }) => id === manifest.documents.mrz)
  return entry ? [[entry.file, await readFile(path.join(builtModelsFolder(settings), entry.file))]] : []
}

const dist = path.join(modelsFolder, '..', 'dist')

/** A running `wrangler dev` reads these files: it must never see half of one, nor a change where there is none. */
async function writeChanged(target: string, content: Uint8Array | string): Promise<void> {
  const bytes = Buffer.from(content)
  if ((await readFile(target).catch(() => null))?.equals(bytes)) return
  await writeWhole(target, bytes, { draft: path.join(dist, draftName()) })
}

/**
 * Writes the module that a Worker imports for clips that our own decoder leaves: the lean one if it was built.
 * @returns whether it was
 */
export async function writeVideoModule(): Promise<boolean> {
  const video = await findVideo('lean', ({ message }) => say(message))
  await mkdir(dist, { recursive: true })
  const from = video && JSON.stringify(path.relative(dist, video.file).replaceAll(path.sep, '/'))
  const code = from ? `export { default } from ${from}\n` : 'export default null\n'
  await writeChanged(path.join(dist, 'video-module.mjs'), code)
  return video !== null
}

async function writeAssets(): Promise<void> {
  const settings = readSettings(process.env)
  const { chosen, files, cohort, manifest } = await openModels(settings, {
    patient: true,
    onProgress: say,
  })
  await keepPages()
  const browserFiles = [...(await readBrowserFiles())].map(
    ([name, file]) => [name, { ...file, gzip: null }] as const,
  )
  const fonts = await readReportFonts()
  const assets = new Map<string, Uint8Array | string>([
    ...chosen.entries.map(({ id, file }) => [file, files.get(id)!] as const),
    ...(await readMrz(settings, manifest, chosen)),
    [chosen.cohort.file, cohort],
    ['profile.json', `${JSON.stringify({ profile: chosen.name, origin: settings.modelOrigin })}\n`],
    ['report-regular.ttf', fonts.regular],
    ['report-bold.ttf', fonts.bold],
    ['browser-files.json', JSON.stringify(storeBrowserFiles(new Map(browserFiles)))],
  ])
  const folder = path.join(dist, 'assets')
  await mkdir(folder, { recursive: true })
  for (const [name, content] of assets) await writeChanged(path.join(folder, name), content)
  for (const name of await readdir(folder))
    if (!assets.has(name)) await rm(path.join(folder, name), { recursive: true, force: true })
  const clips = (await writeVideoModule()) ? 'all clips are read' : `clips are read if they are ${ownKinds}`
  say(`dist/assets holds profile ${chosen.name}; ${clips}; deploy with: npm run deploy:workers`)
}

export const buildCommand: Command = {
  name: 'build',
  summary: 'Write the static assets of a Workers deployment',
  usage: `usage: npm run build

Writes the networks of MODEL_PROFILE, the cohort, the fonts of reports and the files for browsers to dist/assets, and the lean decoder of
clips, if it was built, to dist/video-module.mjs. The code is bundled by "npm run deploy:workers", which runs this first.

Exit code: 0 done, 1 a network is unavailable, 64 wrong usage.
`,
  async run(args) {
    readOptions(args, {})
    await writeAssets()
    return exitCodes.done
  },
}
