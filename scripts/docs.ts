/** `npm run docs`: writes the pages of `docs/` that are generated from tables in the code. */
import { writeFile } from 'node:fs/promises'
import { docsPages } from './docs-pages.ts'

for (const [name, text] of Object.entries(await docsPages('.'))) {
  await writeFile(`docs/${name}`, text)
  process.stdout.write(`docs/${name}\n`)
}
