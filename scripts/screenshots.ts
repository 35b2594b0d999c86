/** `npm run screenshots`. */
import { runAsProgram } from './cli/command.ts'
import { screenshotsCommand } from './screenshots/screenshots-command.ts'

await runAsProgram(screenshotsCommand)
