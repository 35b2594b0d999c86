/** `npm run enrol -- DIR`. */
import { runAsProgram } from './cli/command.ts'
import { enrolCommand } from './enrol/enrol-command.ts'

await runAsProgram(enrolCommand)
