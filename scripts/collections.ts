/**
 * `npm run collections [-- --url http://127.0.0.1:8000] [--folder dist/collections]`: writes the calls of the API for Postman and
 * Bruno. Both start with a sign-in that keeps the token for the other calls.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { toBruno } from './collections/bruno.ts'
import { listCalls } from './collections/calls.ts'
import { toPostman } from './collections/postman.ts'

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://127.0.0.1:8000' },
    folder: { type: 'string', default: 'dist/collections' },
  },
})
const url = values.url.replace(/\/+$/, '')
const calls = listCalls()
const postman = path.join(values.folder, 'vivace.postman_collection.json')
const bruno = path.join(values.folder, 'bruno')

await mkdir(values.folder, { recursive: true })
await writeFile(postman, `${JSON.stringify(toPostman(calls, url), null, 2)}\n`)
await rm(bruno, { recursive: true, force: true })
for (const [name, text] of toBruno(calls, url)) {
  const file = path.join(bruno, name)
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(file, text)
}
process.stdout.write(`${calls.length} calls: ${postman}, ${bruno}\n`)
