/** `npm run deploy:workers`: builds the assets and deploys to Cloudflare Workers. */
import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { ProfileName } from '../../src/inference/manifest.ts'
import { modelsFolder, readManifest } from '../../src/platform/server-models.ts'
import { writeVideoModule } from '../build-command.ts'
import { type Command, exitCodes, readOptions, say } from '../cli/command.ts'
import { type Deployment, inspectDeployment, readWranglerConfig } from './deployment.ts'

const root = path.join(modelsFolder, '..')
const run = promisify(execFile)

/** The installed wrangler, or the pinned one from the registry. */
function wranglerCommand(): [string, string[]] {
  const places = ['node_modules/.bin/wrangler', 'test/runtime/node_modules/.bin/wrangler']
  const installed = places.map((place) => path.join(root, place)).find((place) => existsSync(place))
  return installed ? [installed, []] : ['npx', ['--yes', 'wrangler@4.86.0']]
}

async function ask(...words: string[]): Promise<string | null> {
  const [wrangler, wranglerArguments] = wranglerCommand()
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

/** Size of the compressed code in KiB, as wrangler reports it. */
export async function measureCode(environment: string): Promise<number | null> {
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
  const hasVideo = await writeVideoModule()
  const [profile, codeKibibytes, secrets] = [
    await readProfile(),
    await measureCode(environment),
    await listSecrets(environment),
  ]
  const findings = inspectDeployment({ config, profile, secrets, codeKibibytes, hasVideo }, environment)
  for (const { isFault, text } of findings) say(`${isFault ? 'missing' : 'note   '}  ${text}`)
  if (codeKibibytes !== null) say(`code     ${codeKibibytes} KiB compressed`)
  const isReady = findings.every(({ isFault }) => !isFault)
  say(isReady ? 'nothing is missing that can be seen from here' : 'not ready to deploy')
  return isReady
}

/** Runs a command with the terminal of this one. */
const follow = (file: string, words: string[]): Promise<number> =>
  new Promise((resolve, reject) => {
    const child = spawn(file, words, { cwd: root, stdio: 'inherit' })
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })

async function deploy(environment: string, others: readonly string[]): Promise<number> {
  const built = await follow(process.execPath, ['scripts/run.mjs', 'scripts/build.ts'])
  if (built !== 0) return built
  if (!(await check(environment))) return exitCodes.failed
  const [wrangler, wranglerArguments] = wranglerCommand()
  return follow(wrangler, [...wranglerArguments, 'deploy', '--env', environment, ...others])
}

export const deployCommand: Command = {
  name: 'deploy:workers',
  summary: 'Build the assets and deploy to Cloudflare Workers',
  usage: `usage: npm run deploy:workers [-- [--env ENVIRONMENT] [--check] [-- WRANGLER-ARGUMENT...]]

  --env ENVIRONMENT   of wrangler.toml; "whole" is the deployment that stores (default: Instant and Lite)
  --check             only tell what is missing; deploys nothing
  --                  what follows goes to "wrangler deploy"

Exit code: 0 deployed, or nothing is missing; 1 something is missing; 64 wrong usage; otherwise that of wrangler.
`,
  async run(args) {
    const end = args.indexOf('--')
    const own = end < 0 ? args : args.slice(0, end)
    const others = end < 0 ? [] : args.slice(end + 1)
    const { check: isCheck, env } = readOptions(own, {
      check: { type: 'boolean', default: false },
      env: { type: 'string', default: '' },
    })
    if (!isCheck) return deploy(env, others)
    return (await check(env)) ? exitCodes.done : exitCodes.failed
  },
}
