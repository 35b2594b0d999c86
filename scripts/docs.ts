/** `npm run docs`: writes the pages of `docs/` that are generated from tables in the code, and the types of the client. */
import { writeFile } from 'node:fs/promises'
import { clientAnswers } from './client-answers.ts'
import { clientTypes } from './client-types.ts'
import { docsPages } from './docs-pages.ts'

for (const [name, text] of Object.entries(await docsPages('.'))) {
  await writeFile(`docs/${name}`, text)
  process.stdout.write(`docs/${name}\n`)
}

await writeFile('client/answers.ts', clientAnswers())
process.stdout.write('client/answers.ts\n')
await writeFile('client/operations.ts', await clientTypes())
process.stdout.write('client/operations.ts\n')
