/** `npm run build`. */

import { buildCommand } from './build-command.ts'
import { runAsProgram } from './cli/command.ts'

await runAsProgram(buildCommand)
