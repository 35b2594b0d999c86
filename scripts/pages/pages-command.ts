/** `npm run pages`: the files for browsers. */
import { type Command, exitCodes, readOptions } from '../cli/command.ts'
import { keepPages } from './kept-pages.ts'

export const pagesCommand: Command = {
  name: 'pages',
  summary: 'Build the files for browsers',
  usage: `usage: npm run pages

Builds pages, guide, scripts and styles into dist/browser, unless no source has changed since the last time. "npm start" and
"npm run models" do it too.

Exit code: 0 done, 1 a source has an error, 64 wrong usage.
`,
  async run(args) {
    readOptions(args, {})
    await keepPages()
    return exitCodes.done
  },
}
