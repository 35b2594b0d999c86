/** `npm run collections`: writes the calls of the API for Postman and Bruno. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type Command, exitCodes, readOptions, say } from '../cli/command.ts'
import { toBruno } from './bruno.ts'
import { listCalls } from './calls.ts'
import { toPostman } from './postman.ts'

async function writeCollections(url: string, folder: string): Promise<void> {
  const calls = listCalls()
  const postman = path.join(folder, 'vivace.postman_collection.json')
  const bruno = path.join(folder, 'bruno')
  await mkdir(folder, { recursive: true })
  await writeFile(postman, `${JSON.stringify(toPostman(calls, url), null, 2)}\n`)
  await rm(bruno, { recursive: true, force: true })
  for (const [name, text] of toBruno(calls, url)) {
    const file = path.join(bruno, name)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, text)
  }
  say(`${calls.length} calls: ${postman}, ${bruno}`)
}

export const collectionsCommand: Command = {
  name: 'collections',
  summary: 'Write the calls of the API for Postman and Bruno',
  usage: `usage: npm run collections [-- --url URL] [--folder FOLDER]

Both collections start with a sign-in that keeps the token for the other calls.

  --url URL         address of the server (default: http://127.0.0.1:8000)
  --folder FOLDER   where they are written (default: dist/collections); FOLDER/bruno is replaced

Exit code: 0 done, 1 failed, 64 wrong usage.
`,
  async run(args) {
    const { url, folder } = readOptions(args, {
      url: { type: 'string', default: 'http://127.0.0.1:8000' },
      folder: { type: 'string', default: 'dist/collections' },
    })
    await writeCollections(url.replace(/\/+$/, ''), folder)
    return exitCodes.done
  },
}
