/** `npm run docs`: writes what is generated from tables in the code. */
import { writeFile } from 'node:fs/promises'
import { type Command, exitCodes, readOptions, say } from './cli/command.ts'
import { clientAnswers } from './client-answers.ts'
import { clientTypes } from './client-types.ts'
import { docsPages } from './docs-pages.ts'

export const docsCommand: Command = {
  name: 'docs',
  summary: 'Write the pages and types that are generated from the code',
  usage: `usage: npm run docs

Writes the pages of docs/ that are generated from tables in the code, such as settings.md and api.md, and the types of the client. Tests
compare them with the code.

Exit code: 0 done, 1 failed, 64 wrong usage.
`,
  async run(args) {
    readOptions(args, {})
    const pages = Object.entries(await docsPages('.')).map(([name, text]) => [`docs/${name}`, text] as const)
    const types = [
      ['client/answers.ts', clientAnswers()],
      ['client/operations.ts', await clientTypes()],
    ] as const
    for (const [file, text] of [...pages, ...types]) {
      await writeFile(file, text)
      say(file)
    }
    return exitCodes.done
  },
}
