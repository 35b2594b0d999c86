/** `npm run figures`. */
import { runAsProgram } from './cli/command.ts'
import { figuresCommand } from './figures/figures-command.ts'

await runAsProgram(figuresCommand)
