/** `npm run models`. */
import { runAsProgram } from './cli/command.ts'
import { modelsCommand } from './cli/models-command.ts'

await runAsProgram(modelsCommand)
