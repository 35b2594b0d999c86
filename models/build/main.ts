/**
 * `npm run models`: builds and checks the networks of the profile in `MODEL_PROFILE`, and settles anew what `auto` means.
 */
import { builtModelsFolder, modelsFolder, readManifest } from '../../src/platform/servers.ts'
import { readSettings } from '../../src/settings.ts'
import { ensureModels } from './ensure-models.ts'

const pullTimeoutMs = 120_000

try {
  const settings = readSettings(process.env)
  const { profile, files } = await ensureModels({
    manifest: await readManifest(),
    repository: modelsFolder,
    modelsDir: builtModelsFolder(settings),
    profile: settings.modelProfile,
    mirror: settings.modelsMirror,
    decideAnew: true,
    pullTimeoutMs,
    onProgress: (line) => process.stdout.write(`${line}\n`),
  })
  process.stdout.write(`profile ${profile}: ${[...files.keys()].join(', ')}\n`)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
