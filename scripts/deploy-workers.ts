/** `npm run deploy:workers`. */
import { runAsProgram } from './cli/command.ts'
import { deployCommand } from './workers/deploy-command.ts'

await runAsProgram(deployCommand)
