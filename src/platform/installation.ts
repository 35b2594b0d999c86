/** How this program was installed, which decides what an operator is told to run. */
import { existsSync } from 'node:fs'

/** `assembled`: by `deploy/image-steps.sh`, as in the image, or in one file. */
type Installation = 'checkout' | 'package' | 'assembled'

/** Bundles are as deep below the root as this file. */
const isHere = (file: string): boolean => existsSync(new URL(`../../${file}`, import.meta.url))

export const findInstallation = (has = isHere): Installation =>
  has('scripts/run.mjs') ? 'checkout' : has('scripts/vivace.mjs') ? 'package' : 'assembled'

const prefixes: Readonly<Record<Installation, string>> = {
  checkout: 'npm run ',
  package: 'npx vivace ',
  assembled: 'node dist/node/vivace.mjs ',
}

/** A command of this software as it is typed here, in quotes. */
export const commandHere = (command: string, installation = findInstallation()): string =>
  `"${prefixes[installation]}${command}"`

const renewals: Readonly<Record<Installation, string>> = {
  checkout: 'run "npm ci", and "git status" for changed files',
  package: 'install the package again',
  assembled: 'take the image again, or build it with deploy/image-steps.sh',
}

/** How damaged or missing files of the software come back. */
export const renewalHere = (installation = findInstallation()): string => renewals[installation]
