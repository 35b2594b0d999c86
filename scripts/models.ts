/**
 * `npm run models`: builds and checks the networks of the profile in `MODEL_PROFILE`, and chooses the profile of `auto` again.
 * Also builds the files for browsers, so that a user without write access finds them.
 */
import { openBrowserFiles } from '../src/platform/server-browser-files.ts'
import { openModels } from '../src/platform/server-models.ts'
import { readSettings } from '../src/settings.ts'

try {
  const { chosen, files } = await openModels(readSettings(process.env), {
    patient: true,
    redecide: true,
    onProgress: (line) => process.stdout.write(`${line}\n`),
  })
  await openBrowserFiles()
  process.stdout.write(`profile ${chosen.name}: ${[...files.keys()].join(', ')}\n`)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
