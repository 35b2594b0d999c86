/** `npm run soak`. */
import { runAsProgram } from '../../scripts/cli/command.ts'
import { soakCommand } from './soak-command.ts'

await runAsProgram(soakCommand)
