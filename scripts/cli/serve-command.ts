/** `serve`: the server, as `npm start` starts it. */
import { keepPages } from '../pages/kept-pages.ts'
import { type Command, complain, exitCodes, readArguments, UsageError } from './command.ts'
import { thisRuntime } from './runtime.ts'

/** Resolves when the server has ended by itself; signals end the process. */
const entries = {
  node: () => import('../../src/entry/node.ts'),
  bun: () => import('../../src/entry/bun.ts'),
  deno: () => import('../../src/entry/deno.ts'),
}

export const serveCommand: Command = {
  name: 'serve',
  summary: 'Start the server',
  usage: `usage: vivace serve
       npm start

Starts the server with the settings of the environment (docs/settings.md). The log is JSON on standard output, one object per line.
SIGTERM and SIGINT end it after the open requests are answered.

Exit code: 0 ended by a signal, 1 could not start, or did not end within 30 s.
`,
  async run(args) {
    if (readArguments(args, {}).positionals.length > 0)
      throw new UsageError('There are no arguments: settings are environment variables')
    // The server has none of this command's words.
    process.argv.length = 2
    await keepPages().catch((error: unknown) => complain(`The pages cannot be built: ${error}`))
    await entries[thisRuntime()]()
    return exitCodes.done
  },
}
