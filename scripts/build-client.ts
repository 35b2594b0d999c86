/** `npm run build:client`. */
import { buildClientCommand } from './build-client-command.ts'
import { runAsProgram } from './cli/command.ts'

await runAsProgram(buildClientCommand)
