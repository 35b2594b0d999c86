/**
 * `npm run build`: puts what a Workers deployment serves as static assets into `dist/assets`: the networks of the profile
 * and the cohort. `npx wrangler deploy` bundles the code itself.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { profileModels } from '../src/inference/manifest.ts'
import { modelsFolder, openModels } from '../src/platform/server-models.ts'
import { readSettings } from '../src/settings.ts'

const { manifest, profile, files, cohort } = await openModels(readSettings(process.env), {
  patient: true,
  onProgress: (line) => process.stdout.write(`${line}\n`),
})
const folder = path.join(modelsFolder, '..', 'dist', 'assets')
await rm(folder, { recursive: true, force: true })
await mkdir(folder, { recursive: true })
for (const { id, file } of profileModels(manifest, profile))
  await writeFile(path.join(folder, file), files.get(id)!)
await writeFile(path.join(folder, manifest.cohort.file), cohort)
await writeFile(path.join(folder, 'profile.json'), `${JSON.stringify({ profile })}\n`)
process.stdout.write(`dist/assets holds profile ${profile}; deploy with: npx wrangler deploy\n`)
