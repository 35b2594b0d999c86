/** The command line: `npx vivace COMMAND`. */
import { softwareVersion } from '../src/version.ts'
import { complain, describeUnknown, exitCodes, runCommand, say } from './cli/command.ts'
import { commands } from './cli/commands.ts'

const list = commands.map(({ name, summary }) => `  ${name.padEnd(10)}${summary}`).join('\n')

const usage = `usage: vivace COMMAND [ARGUMENT...]

${list}

"vivace COMMAND --help" shows its arguments and exit codes. Settings are environment variables: docs/settings.md.`

const [name, ...args] = process.argv.slice(2)
const command = commands.find((candidate) => candidate.name === name)
if (command) {
  const code = await runCommand(command, args)
  // A server ends itself.
  if (command.name !== 'serve' || code !== exitCodes.done) process.exit(code)
} else if (name === '--version') {
  say(softwareVersion)
} else if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
  say(usage)
} else {
  const names = commands.map((known) => known.name)
  complain(`${describeUnknown('command', name, names)}\n\n${usage}`)
  process.exit(exitCodes.usage)
}
