/** `npm run migrate`. */
import { runAsProgram } from './cli/command.ts'
import { migrateCommand } from './cli/migrate-command.ts'

await runAsProgram(migrateCommand)
