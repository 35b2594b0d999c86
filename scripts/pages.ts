/** `npm run pages`. */
import { runAsProgram } from './cli/command.ts'
import { pagesCommand } from './pages/pages-command.ts'

await runAsProgram(pagesCommand)
