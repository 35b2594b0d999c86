/** `npm run accuracy`. */
import { runAsProgram } from '../../scripts/cli/command.ts'
import { accuracyCommand } from './accuracy-command.ts'

await runAsProgram(accuracyCommand)
