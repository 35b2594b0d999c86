/** `npm run bench`. */
import { runCommand } from '../../scripts/cli/command.ts'
import { benchCommand } from './bench-command.ts'

// Contenders leave threads behind.
process.exit(await runCommand(benchCommand, process.argv.slice(2)))
