/**
 * `npm run build`: writes the static assets of a Workers deployment to `dist/assets`: the networks of the profile, the
 * cohort, and the files for browsers. `npx wrangler deploy` bundles the code itself.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { storeBrowserFiles } from '../src/platform/browser-files.ts'
import { openBrowserFiles } from '../src/platform/server-browser-files.ts'
import { modelsFolder, openModels } from '../src/platform/server-models.ts'
import { readSettings } from '../src/settings.ts'

const settings = readSettings(process.env)
const { chosen, files, cohort } = await openModels(settings, {
  patient: true,
  onProgress: (line) => process.stdout.write(`${line}\n`),
})
const folder = path.join(modelsFolder, '..', 'dist', 'assets')
await rm(folder, { recursive: true, force: true })
await mkdir(folder, { recursive: true })
for (const { id, file } of chosen.entries) await writeFile(path.join(folder, file), files.get(id)!)
await writeFile(path.join(folder, chosen.cohort.file), cohort)
const choice = { profile: chosen.name, origin: settings.modelOrigin }
await writeFile(path.join(folder, 'profile.json'), `${JSON.stringify(choice)}\n`)
const browserFiles = [...(await openBrowserFiles())].map(
  ([name, file]) => [name, { ...file, gzip: null }] as const,
)
await writeFile(
  path.join(folder, 'browser-files.json'),
  JSON.stringify(storeBrowserFiles(new Map(browserFiles))),
)
process.stdout.write(`dist/assets holds profile ${chosen.name}; deploy with: npx wrangler deploy\n`)
