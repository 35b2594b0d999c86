#!/usr/bin/env node
/** `npx vivace`: the command line, from the prebuilt bundle or, in a checkout, from the sources. */
import { existsSync } from 'node:fs'
import './node-version.mjs'

const prebuilt = new URL('../dist/node/vivace.mjs', import.meta.url)
const sources = new URL('./vivace.ts', import.meta.url)

if (existsSync(sources)) {
  process.argv.splice(2, 0, 'scripts/vivace.ts')
  await import('./run.mjs')
} else if (existsSync(prebuilt)) {
  await import(prebuilt.href)
} else {
  process.stderr.write(
    'The command is not part of this package: "npm pack" in the project builds one that has it\n',
  )
  process.exitCode = 1
}
