/** `npm run docs`. */
import { runAsProgram } from './cli/command.ts'
import { docsCommand } from './docs-command.ts'

await runAsProgram(docsCommand)
