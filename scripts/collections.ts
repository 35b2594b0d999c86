/** `npm run collections`. */
import { runAsProgram } from './cli/command.ts'
import { collectionsCommand } from './collections/collections-command.ts'

await runAsProgram(collectionsCommand)
