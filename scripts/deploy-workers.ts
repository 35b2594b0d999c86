/**
 * `npm run deploy:workers`: builds the assets and deploys to Cloudflare Workers. `-- --check` only tells what is missing;
 * `-- --env whole` is the deployment that stores. Other arguments go to wrangler.
 */
import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { ProfileName } from '../src/inference/manifest.ts'
import { modelsFolder, readManifest } from '../src/platform/server-models.ts'
import { type Deployment, inspectDeployment, readWranglerConfig } from './workers/deployment.ts'

const root = path.join(modelsFolder, '..')
const run = promisify(execFile)

/** The installed wrangler, or the pinned one from the registry. */
function wranglerCommand(): [string, string[]] {
  const places = ['node_modules/.bin/wrangler', 'test/runtime/node_modules/.bin/wrangler']
  const installed = places.map((place) => path.join(root, place)).find((place) => existsSync(place))
  return installed ? [installed, []] : ['npx', ['--yes', 'wrangler@4.86.0']]
}

const [wrangler, wranglerArguments] = wranglerCommand()

async function ask(...words: string[]): Promise<string | null> {
  try {
    const environment = { ...process.env, WRANGLER_SEND_METRICS: 'false', CI: '1' }
    const options = { cwd: root, env: environment, timeout: 120_000 }
    return (await run(wrangler, [...wranglerArguments, ...words], options)).stdout
  } catch {
    return null
  }
}

async function readProfile(): Promise<Deployment['profile']> {
  try {
    const text = await readFile(path.join(root, 'dist/assets/profile.json'), 'utf8')
    const name = (JSON.parse(text) as { profile: ProfileName }).profile
    return { name, assurance: (await readManifest()).profiles[name].assurance }
  } catch {
    return null
  }
}

/** Size of the compressed code, as wrangler reports it. */
async function measureCode(environment: string): Promise<number | null> {
  const output = await ask('deploy', '--dry-run', '--env', environment, '--outdir', 'dist/workers')
  const size = /gzip: ([\d.]+) KiB/.exec(output ?? '')?.[1]
  return size === undefined ? null : Math.round(Number(size))
}

/** The names of the secrets of the deployment; `null` if nobody is signed in, or it does not exist yet. */
async function listSecrets(environment: string): Promise<string[] | null> {
  const output = await ask('secret', 'list', '--env', environment, '--format', 'json')
  try {
    return (JSON.parse(output ?? '') as { name: string }[]).map(({ name }) => name)
  } catch {
    return null
  }
}

async function check(environment: string): Promise<boolean> {
  const config = readWranglerConfig(await readFile(path.join(root, 'wrangler.toml'), 'utf8'), environment)
  const [profile, codeKibibytes, secrets] = [
    await readProfile(),
    await measureCode(environment),
    await listSecrets(environment),
  ]
  const findings = inspectDeployment({ config, profile, secrets, codeKibibytes }, environment)
  for (const { isFault, text } of findings)
    process.stdout.write(`${isFault ? 'missing' : 'note   '}  ${text}\n`)
  if (codeKibibytes !== null) process.stdout.write(`code     ${codeKibibytes} KiB compressed\n`)
  const isReady = findings.every(({ isFault }) => !isFault)
  process.stdout.write(isReady ? 'nothing is missing that can be seen from here\n' : 'not ready to deploy\n')
  return isReady
}

/** Runs a command with the terminal of this one. */
const follow = (file: string, words: string[]): Promise<number> =>
  new Promise((resolve, reject) => {
    const child = spawn(file, words, { cwd: root, stdio: 'inherit' })
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })

const words = process.argv.slice(2)
const place = words.indexOf('--env')
const environment = place < 0 ? '' : (words[place + 1] ?? '')
const others = words.filter(
  (word, at) => word !== '--check' && (place < 0 || (at !== place && at !== place + 1)),
)

if (words.includes('--check')) process.exitCode = (await check(environment)) ? 0 : 1
else {
  process.exitCode = await follow(process.execPath, ['scripts/run.mjs', 'scripts/build.ts'])
  if (process.exitCode === 0 && !(await check(environment))) process.exitCode = 1
  if (process.exitCode === 0)
    process.exitCode = await follow(wrangler, [
      ...wranglerArguments,
      'deploy',
      '--env',
      environment,
      ...others,
    ])
}
